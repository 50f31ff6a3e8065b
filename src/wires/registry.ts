import { lookup } from '../text/lookup.ts'
import { anthropicMessages } from './anthropic-messages/index.ts'
import { openaiChat } from './openai-chat/index.ts'
import type { Wire, WireName } from './wire.ts'

/** A new wire is one folder and one line here. */
export const WIRES = {
  'openai-chat': openaiChat,
  'anthropic-messages': anthropicMessages,
} satisfies Record<WireName, Wire>

export const findWire = (name: string): Wire | undefined => lookup<Wire>(WIRES, name)
