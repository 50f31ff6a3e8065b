import { lookup } from '../text/lookup.ts'
import { openaiChat } from './openai-chat/index.ts'
import { openaiResponses } from './openai-responses/index.ts'
import type { Wire, WireName } from './wire.ts'

/** A new wire is one folder and one line here. */
export const WIRES = { 'openai-chat': openaiChat, 'openai-responses': openaiResponses } satisfies Record<WireName, Wire>

export const findWire = (name: string): Wire | undefined => lookup<Wire>(WIRES, name)
