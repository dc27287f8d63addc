// Package checks holds every check, one file each, and All, the list in the order of reports. A check reads only
// through its Pass: it opens no file, runs no program and formats for no terminal. To add one, write its file, name it
// in All, add two corpus cases, one in which it fires and a near miss in which it stays silent, and translate its texts in
// report/lang.
package checks
