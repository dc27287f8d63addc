// Package ddl holds the schemas of the product, by version, as the statements that make them. New files are made from these
// and from nothing that a file brings along. The golden list beside the corpus's builder says what each version has.
package ddl
