// Package extract writes what a plan of scan/contents lists into a folder or an archive that was not there before.
//
// Nothing is overwritten and nothing is reached through a link: the folder is made by this package, every file in it
// is created exclusively, and links are made when everything else is written. A content is delivered only when its
// hash is its name; one that is missing or damaged is reported, and the rest is delivered.
package extract
