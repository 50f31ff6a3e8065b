/**
 * Stands for the signature of a thought that has none. Clients take a thinking block with an empty one for no thought at
 * all, and send its words back as an answer, or not at all.
 */
export const UNSIGNED = 'unsigned'

export const isSigned = (signature: string): boolean => signature !== '' && signature !== UNSIGNED
