/** The streams of user interfaces, in the order in which lists show them. */
export const FRONT_ENDS = ['ai-sdk-ui', 'ag-ui'] as const

/** The settings of each: what a program decides about its answers. */
export const FRONT_END_SETTINGS: Readonly<Record<(typeof FRONT_ENDS)[number], readonly string[]>> = {
  'ai-sdk-ui': ['messageId', 'usage'],
  'ag-ui': ['threadId', 'runId'],
}

/** A stream that user interfaces read: the UI message stream of the AI SDK, or the events of AG-UI. */
export type FrontEndName = (typeof FRONT_ENDS)[number]
