import { clientError, type GatewayError } from '../../protocol/error.ts'
import { dropped, type Loss, mapped } from '../../protocol/loss.ts'
import { type InputItem, type InputPart, isUnaddressed, type Request, type Tool } from '../../protocol/request.ts'
import { phaseLosses } from '../../responses/capabilities.ts'
import { RESPONSES_WIRE } from '../../wires/contract.ts'
import { isDeferred } from '../../wires/shared/upstream/input/tool-search.ts'
import type { Pass, PlannedPass } from './pass.ts'

const partsOf = (item: InputItem): readonly [field: string, parts: readonly InputPart[]] | null => {
  if (item.type === 'message' && item.role !== 'assistant') return ['content', item.content]
  return item.type === 'function_call_output' || item.type === 'custom_tool_call_output'
    ? ['output', item.output]
    : null
}

function lossesOfPart(part: InputPart, path: string): readonly Loss[] {
  if (part.type === 'input_file' && part.detail !== undefined && part.detail !== 'auto')
    return [dropped(`${path}.detail`, 'this upstream has no detail of files')]
  return part.type === 'input_image' && part.image_url !== null && part.file_id !== undefined
    ? [dropped(`${path}.file_id`, 'the image is sent by its URL')]
    : []
}

const isCall = (item: InputItem): boolean =>
  /_call$/.test(item.type === 'other' && typeof item.item.type === 'string' ? item.item.type : item.type)

/** A text before a call is commentary in every protocol, by its place. */
const precedesCall = (input: readonly InputItem[], at: number): boolean => {
  let next = at + 1
  while (input[next]?.type === 'reasoning') next += 1
  const item = input[next]
  return item !== undefined && isCall(item)
}

const isText = ({ type }: InputPart): boolean => type === 'input_text'

const NO_LOSSES: readonly Loss[] = []

/** A message without a phase is the answer, and a call without a caller is direct, so that these have no effect. */
function lossesOfItem(item: InputItem, at: number, input: readonly InputItem[]): readonly Loss[] {
  if (!('phase' in item) && !('origin' in item) && (partsOf(item)?.[1].every(isText) ?? true)) return NO_LOSSES
  const path = `input[${at}]`
  const losses: Loss[] = []
  if ('phase' in item && phaseLosses(item).length > 0 && !(item.phase === 'commentary' && precedesCall(input, at)))
    losses.push(dropped(`${path}.phase`, 'this upstream does not distinguish commentary from the answer'))
  if ('origin' in item && item.origin?.caller !== undefined && item.origin.caller.type !== 'direct')
    losses.push(dropped(`${path}.caller`, 'this upstream does not know programs that call tools'))
  if ('origin' in item && item.origin?.async === true)
    losses.push(dropped(`${path}.async`, 'this upstream expects the outputs of all calls at once'))
  const [field, parts] = partsOf(item) ?? ['', []]
  return [...losses, ...parts.flatMap((part, at) => lossesOfPart(part, `${path}.${field}[${at}]`))]
}

export const SENT_AT_ONCE = 'this upstream has no search of tools, so that the tool is sent at once'

/** All tools are direct by default, and a tool that is not deferred can do whatever a deferred one can. */
function lossesOfTool(tool: Tool, path: string): readonly Loss[] {
  if (tool.type === 'hosted') return []
  if (tool.deferred === undefined && tool.settings === undefined) return NO_LOSSES
  const { async, allowed_callers: callers, output_schema } = tool.settings ?? {}
  return [
    ...(tool.deferred === true ? [mapped(`${path}.defer_loading`, SENT_AT_ONCE)] : []),
    ...(async === true ? [dropped(`${path}.async`, 'this upstream expects the outputs of all calls at once')] : []),
    ...(callers?.some((caller) => caller !== 'direct') === true
      ? [dropped(`${path}.allowed_callers`, 'this upstream does not run programs that call tools')]
      : []),
    ...(output_schema === undefined
      ? []
      : [dropped(`${path}.output_schema`, 'this upstream has no schema of outputs')]),
  ]
}

const lossesOf = ({ input, tools }: Request): readonly Loss[] => [
  ...tools.flatMap((tool, at) => lossesOfTool(tool, `tools[${at}]`)),
  ...input.flatMap(lossesOfItem),
]

/** A deferred tool could never be found without a search of tools. */
const atOnce = (tool: Tool): Tool =>
  tool.type === 'hosted' || tool.deferred !== true ? tool : { ...tool, deferred: false }

/** Returns an error for an output that belongs to no call: without it, the model would answer something else. */
function unaddressedOutput({ input }: Request): GatewayError | null {
  const at = input.findIndex((item) => item.type === 'other' && isUnaddressed(item.item))
  if (at < 0) return null
  const path = `input[${at}].call_id`
  const message = `${path}: no earlier call without an output has the name of this output, and this upstream needs its id; send it`
  return clientError('invalid_prompt', message, path)
}

/** The fields that only the Responses API has are losses of every other wire. */
export const responsesFields: Pass = ({ sent }, { wire }) =>
  sent.wire === wire.name || wire.name === RESPONSES_WIRE ? null : RECORDED

const RECORDED: PlannedPass = {
  apply(request) {
    const error = unaddressedOutput(request)
    if (error !== null) return { ok: false, error }
    return {
      ok: true,
      request: request.tools.some(isDeferred) ? { ...request, tools: request.tools.map(atOnce) } : request,
      losses(later) {
        const own = lossesOf(request)
        if (own.length === 0) return own
        const known = new Set(later.map(({ path }) => path))
        return own.filter(({ path }) => !known.has(path))
      },
    }
  },
}
