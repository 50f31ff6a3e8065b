/** The streams of user interfaces, in the order in which lists show them. */
export const FRONT_ENDS = ['ai-sdk-ui', 'ag-ui'] as const

/** The settings by which a program decides about their answers. Each ignores those of the other. */
export const FRONT_END_SETTINGS = ['messageId', 'usage', 'threadId', 'runId'] as const

/** A stream that user interfaces read: the UI message stream of the AI SDK, or the events of AG-UI. */
export type FrontEndName = (typeof FRONT_ENDS)[number]
