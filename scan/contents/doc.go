// Package contents says what checkpoints hold: what they weigh, where two of them differ, whether one file can come
// back, and what an extraction would write under which names.
//
// It reads trees and blobs through a reader of the store and gives values. It writes nothing, follows no link, obeys
// no setting of the store, and looks at no working directory but one that is given as data.
package contents
