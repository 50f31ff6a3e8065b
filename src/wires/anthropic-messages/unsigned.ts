/**
 * Stands for the signature of reasoning that has none. Clients do not accept a thinking block with an empty signature:
 * they send its text back as an answer, or not at all.
 */
export const UNSIGNED = 'unsigned'

export const isSigned = (signature: string): boolean => signature !== '' && signature !== UNSIGNED
