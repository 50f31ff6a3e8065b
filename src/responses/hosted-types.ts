import { EVERYTHING } from './speech.ts'

/** What clients give back for calls of hosted tools, beside what their upstreams answer themselves. */
const CLIENT_ANSWERS = ['computer_call_output', 'local_shell_call_output', 'mcp_approval_response'] as const

const HOSTED: ReadonlySet<unknown> = new Set<string>([...EVERYTHING.items, ...CLIENT_ANSWERS])

/** Whether an item of the history is of a type that some answer of this service can have, or answers one that is. */
export const isHostedType = (type: unknown): boolean => HOSTED.has(type)
