/** The border between two parts of one reasoning for clients that have one text of it. */
export const PART_BORDER = '\n\n'
