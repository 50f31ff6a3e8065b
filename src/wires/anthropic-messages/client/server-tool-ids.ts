/** Marks the ids of calls that another vendor ran and that this gateway encoded as blocks of this wire. */
const MARK = '_mr_'

export const toServerToolId = (prefix: 'srvtoolu' | 'mcptoolu', itemId: string): string => `${prefix}${MARK}${itemId}`

/** Whether this gateway created the id: Anthropic has no such call. */
export const isTranslated = (id: string): boolean => /^(?:srv|mcp)toolu_mr_/.test(id)
