/**
 * What stands in a hole: the text of a delta, any JSON value that nobody reads, a count of which the last one counts,
 * spaces between two braces, or any members of an object that nobody reads, each with the comma behind it.
 */
export type Hole = 'leaf' | 'value' | 'count' | 'blanks' | 'members'
