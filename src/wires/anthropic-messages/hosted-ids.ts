/** Of the calls that we tell in this wire's words for another vendor, which ran them. */
const MARK = '_mr_'

export const toHostedId = (prefix: 'srvtoolu' | 'mcptoolu', itemId: string): string => `${prefix}${MARK}${itemId}`

/** Was this call told by us? Its own vendor knows nothing of it. */
export const isForeign = (id: string): boolean => /^(?:srv|mcp)toolu_mr_/.test(id)
