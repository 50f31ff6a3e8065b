import { clientError, type GatewayError } from '../../../protocol/error.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { dropped, type Loss, NO_CUSTOM_TOOLS } from '../../../protocol/loss.ts'
import type { Request, Tool } from '../../../protocol/request.ts'
import type { Origins } from '../../origins.ts'
import { CANNOT_FORCE } from '../../shared/upstream/forced-tools.ts'
import { strictLosses } from '../../shared/upstream/strict-tools.ts'
import type { OllamaTool } from '../json.ts'

/** The tools of a body, or the error if the tool choice is impossible. */
type EncodedTools =
  | { readonly ok: true; readonly fields: JsonObject; readonly losses: readonly Loss[] }
  | { readonly ok: false; readonly error: GatewayError }

const NO_PARAMETERS: JsonObject = { type: 'object', properties: {} }

function encodeTool(
  { name, description, parameters }: Extract<Tool, { readonly type: 'function' }>,
  at: number,
  origins: Origins | undefined,
): OllamaTool {
  const tool = {
    type: 'function',
    function: { name, ...(description === null ? {} : { description }), parameters: parameters ?? NO_PARAMETERS },
  } as const
  origins?.add(tool, `tools[${at}]`)
  return tool
}

function lossesOf(tool: Tool, at: number): readonly Loss[] {
  switch (tool.type) {
    case 'function':
      return strictLosses(tool, at, 'upstream')
    case 'custom':
      return [dropped(`tools[${at}]`, NO_CUSTOM_TOOLS)]
    case 'hosted':
      return [dropped(`tools[${at}]`, `this upstream does not support the tool ${tool.name}`)]
  }
}

/** Ollama has no `tool_choice`: `none` leaves the tools out, and a choice that requires a call is rejected. */
export function encodeTools({ tools, tool_choice: choice }: Request, origins?: Origins): EncodedTools {
  if (choice !== null && choice !== 'auto' && choice !== 'none') {
    return { ok: false, error: clientError('invalid_prompt', `tool_choice: ${CANNOT_FORCE}`, 'tool_choice') }
  }
  const functions = tools.flatMap((tool, at) => (tool.type === 'function' ? [encodeTool(tool, at, origins)] : []))
  const hidden = functions.length === 0 || choice === 'none'
  return { ok: true, fields: hidden ? {} : { tools: functions }, losses: tools.flatMap(lossesOf) }
}
