import { lookup } from '../text/lookup.ts'
import { geminiGenerate } from './gemini-generate/index.ts'
import { openaiChat } from './openai-chat/index.ts'
import type { Wire, WireName } from './wire.ts'

/** A new wire is one folder and one line here. */
export const WIRES = { 'openai-chat': openaiChat, 'gemini-generate': geminiGenerate } satisfies Record<WireName, Wire>

export const findWire = (name: string): Wire | undefined => lookup<Wire>(WIRES, name)
