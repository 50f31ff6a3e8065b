import { EVERYTHING } from './speech.ts'

/** Items in which clients answer hosted calls. */
const CLIENT_ANSWERS = ['computer_call_output', 'local_shell_call_output', 'mcp_approval_response'] as const

const HOSTED: ReadonlySet<unknown> = new Set<string>([...EVERYTHING.items, ...CLIENT_ANSWERS])

/** Returns whether answers of this service can have items of this type, or clients answer such items with it. */
export const isHostedType = (type: unknown): boolean => HOSTED.has(type)
