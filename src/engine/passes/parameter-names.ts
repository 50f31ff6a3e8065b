import { getOrCreate } from '../../collections/get-or-create.ts'
import { createRecent } from '../../collections/recent.ts'
import { mapDelete, mapEntries, mapGet, mapSet, type SortedMap } from '../../collections/sorted-map.ts'
import { type Machine, NOTHING, type Step } from '../../machine/machine.ts'
import type { CallDelta, Delta, FinalDelta } from '../../protocol/delta.ts'
import { gatewayError } from '../../protocol/error.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { type Loss, mapped } from '../../protocol/loss.ts'
import type { InputItem, Request, Tool } from '../../protocol/request.ts'
import type { PathMap } from '../../protocol/source-map.ts'
import { growName } from '../../responses/grow-name.ts'
import { isObject } from '../../text/json.ts'
import { KEYS_START, type KeyNames, type KeyScan, renameAllKeys, renameKeys } from '../../text/rename-keys.ts'
import { mapSteps, type Steps } from '../../text/steps.ts'
import { fittingNames, toParameterName } from '../../validation/namespaces.ts'
import { factsOf } from '../../wires/shared/upstream/model-facts.ts'
import { type FunctionTool, withTools } from '../../wires/shared/upstream/schemas/mend-tools.ts'
import { renameRoot, rootNames } from '../../wires/shared/upstream/schemas/root-names.ts'
import type { ClientRequest } from '../client-request.ts'
import type { Pass, Passed } from './pass.ts'

/** The parameters that have other names at the upstream, by the names of their functions. */
type Renames = ReadonlyMap<string, KeyNames>

const PROPERTIES = '.properties.'

const parametersAt = (at: number): string => `tools[${at}].parameters`

const isFunction = (tool: Tool): tool is FunctionTool & { readonly parameters: JsonObject } =>
  tool.type === 'function' && tool.parameters !== null

/** The names that do not fit. Functions of one name have one list, because a call may mean either. */
function renamesOf({ tools }: Request): Renames {
  const all = new Map<string, Set<string>>()
  for (const tool of tools) {
    if (!isFunction(tool)) continue
    const names = getOrCreate(all, tool.name, () => new Set<string>())
    for (const { name } of rootNames(tool.parameters, '')) names.add(name)
  }
  const renames = [...all].map(([tool, names]) => [tool, fittingNames(names, toParameterName)] as const)
  return new Map(renames.filter(([, names]) => names.size > 0))
}

// ---------------------------------------------------------------- the request

/** One loss for each name, at the property itself where the schema has it. */
function nameLosses(parameters: JsonObject, at: number, names: KeyNames): readonly Loss[] {
  const found = rootNames(parameters, parametersAt(at))
  const properties = found.filter(({ name, path }) => path.endsWith(`${PROPERTIES}${name}`))
  // The first place of a name, of properties before all others.
  const places = new Map([...found.reverse(), ...properties.reverse()].map(({ name, path }) => [name, path]))
  return [...names].flatMap(([name, fitting]) => {
    const path = places.get(name)
    return path === undefined ? [] : [mapped(path, `sent as "${fitting}": this model refuses such a name`)]
  })
}

function* withFittingNames(original: Request, renames: Renames): Steps<Passed> {
  const losses: Loss[] = []
  const changed = new Map<Tool, FunctionTool>()
  for (const [at, tool] of original.tools.entries()) {
    const names = renames.get(tool.name)
    if (names === undefined || !isFunction(tool)) continue
    const { schema, merged } = renameRoot(tool.parameters, names)
    losses.push(
      ...nameLosses(tool.parameters, at, names),
      ...merged.map((keyword) =>
        mapped(`${parametersAt(at)}.${keyword}`, 'merged into one object, because names in it have changed'),
      ),
    )
    changed.set(tool, { ...tool, parameters: schema })
    yield
  }
  const request = withTools(original, changed)
  const input = yield* mapSteps(request.input, (item): InputItem => {
    const names = item.type === 'function_call' ? renames.get(item.name) : undefined
    if (item.type !== 'function_call' || names === undefined) return item
    return { ...item, arguments: renameAllKeys(item.arguments, names) }
  })
  return { ok: true, request: { ...request, input }, losses, toEarlier: toOwnNames(original.tools, renames) }
}

/** `tools[0].parameters.properties.top.minimum` → `tools[0].parameters.properties.$top.minimum`. */
const toOwnNames =
  (tools: readonly Tool[], renames: Renames): PathMap =>
  (path) => {
    const [, index] = /^tools\[(\d+)\]\.parameters/.exec(path) ?? []
    const names = renames.get(tools[Number(index)]?.name ?? '')
    const start = path.indexOf(PROPERTIES) + PROPERTIES.length
    if (names === undefined || start < PROPERTIES.length) return path
    const inner = path.slice(start)
    const own = [...names].find(
      ([, fitting]) => inner.startsWith(fitting) && /^(?:[.[]|$)/.test(inner.slice(fitting.length)),
    )
    return own === undefined ? path : path.slice(0, start) + own[0] + inner.slice(own[1].length)
  }

/** Examples that only an upstream of the client's own protocol receives, as they were sent (Messages). */
function withOwnExamples({ sent, sourceMap, request }: ClientRequest, renames: Renames): unknown {
  const { body } = sent
  if (!isObject(body) || !Array.isArray(body.tools)) return body
  const own = new Map(
    request.tools.flatMap((tool, at) => {
      const names = renames.get(tool.name)
      const path = names === undefined ? null : sourceMap.toClientPath(`tools[${at}]`)
      const [, index] = /^tools\[(\d+)\]$/.exec(path ?? '') ?? []
      return names === undefined || index === undefined ? [] : [[Number(index), names] as const]
    }),
  )
  const withNames = (example: Json, names: KeyNames): Json =>
    isObject(example) ? (JSON.parse(renameAllKeys(JSON.stringify(example), names)) as Json) : example
  const tools = (body.tools as readonly Json[]).map((tool, at) => {
    const names = own.get(at)
    if (names === undefined || !isObject(tool) || !Array.isArray(tool.input_examples)) return tool
    const examples = tool.input_examples as readonly Json[]
    return { ...tool, input_examples: examples.map((one) => withNames(one, names)) }
  })
  return { ...body, tools }
}

// ---------------------------------------------------------------- the answer

interface NamedCall {
  readonly id: string | null
  readonly name: string
  /** Arguments that have arrived before the name. */
  readonly early: string
  readonly scan: KeyScan
}

type NamedCalls = SortedMap<string, NamedCall>

/** Some upstreams number every call 0, and others change the id within a call. */
const isAnother = ({ id, name, scan }: NamedCall, { callId, name: named, arguments: piece }: CallDelta): boolean =>
  callId !== null &&
  named !== null &&
  id !== null &&
  callId !== id &&
  (named !== name || scan.depth === 0 || piece.trimStart().startsWith('{'))

/** The text that waits for the end of its key. */
const heldText = ({ early, scan }: NamedCall): string => early + (scan.key ?? '')

const restOf = (key: string, call: NamedCall | undefined): readonly Delta[] => {
  const text = call === undefined ? '' : heldText(call)
  return text === ''
    ? NOTHING
    : [{ kind: 'call', key, type: 'function_call', callId: null, name: null, arguments: text }]
}

const restOfAll = (calls: NamedCalls): readonly Delta[] => mapEntries(calls).flatMap(([key, call]) => restOf(key, call))

function stepCall(calls: NamedCalls, delta: CallDelta, renames: Renames): Step<NamedCalls, Delta> {
  const { key } = delta
  const known = mapGet(calls, key)
  const ended = known !== undefined && isAnother(known, delta) ? restOf(key, known) : NOTHING
  const call = known === undefined || isAnother(known, delta) ? null : known
  const id = call?.id ?? delta.callId
  const name = growName(call?.name ?? '', delta.name ?? '')
  const piece = (call?.early ?? '') + delta.arguments
  const names = renames.get(name)
  const { scan, text } =
    names === undefined || piece === ''
      ? { scan: call?.scan ?? KEYS_START, text: name === '' ? '' : piece }
      : renameKeys(call?.scan ?? KEYS_START, piece, names)
  const state = mapSet(calls, key, { id, name, early: name === '' ? piece : '', scan })
  const isSilent = text === '' && delta.name === null && delta.callId === null
  return { state, events: isSilent ? ended : [...ended, { ...delta, arguments: text }] }
}

/** A whole call repeats the text that waits. */
function stepFinal(calls: NamedCalls, final: FinalDelta, renames: Renames): Step<NamedCalls, Delta> {
  const { whole } = final
  if (whole.kind !== 'call' || whole.type !== 'function_call') return { state: calls, events: [final] }
  const call = mapGet(calls, whole.key)
  const names = renames.get(whole.name ?? call?.name ?? '')
  if (names === undefined) return { state: calls, events: [final] }
  const renamed = { ...whole, arguments: renameAllKeys(whole.arguments, names) }
  return { state: mapDelete(calls, whole.key), events: [{ ...final, whole: renamed }] }
}

/** The end of an answer, for the proofs of the fast path: no chunk is like another where names in it are read. */
const READ: Delta = { kind: 'error', error: gatewayError('server_error', 'the arguments of this call are read') }

const isRead = (calls: NamedCalls, { key, name }: CallDelta, renames: Renames): boolean =>
  renames.has(growName(mapGet(calls, key)?.name ?? '', name ?? ''))

/** Gives the arguments of calls the client's own names, piece by piece. A piece costs O(log n) for n calls plus its length. */
export function toOwnParameters(renames: Renames): Machine<NamedCalls, Delta, Delta> {
  const machine: Machine<NamedCalls, Delta, Delta> = {
    initial: null,

    step(calls, delta): Step<NamedCalls, Delta> {
      if (delta.kind === 'call' && delta.type === 'function_call') return stepCall(calls, delta, renames)
      if (delta.kind === 'final') return stepFinal(calls, delta, renames)
      if (delta.kind === 'finish' || delta.kind === 'error' || delta.kind === 'cut')
        return { state: null, events: [...restOfAll(calls), delta] }
      const call = delta.kind === 'stop' ? mapGet(calls, delta.key) : undefined
      if (delta.kind !== 'stop' || call === undefined) return { state: calls, events: [delta] }
      return { state: mapDelete(calls, delta.key), events: [...restOf(delta.key, call), delta] }
    },

    end: restOfAll,
  }
  return {
    ...machine,
    probed: {
      ...machine,
      step: (calls, delta) =>
        delta.kind === 'call' && delta.arguments !== '' && isRead(calls, delta, renames)
          ? { state: calls, events: [READ] }
          : machine.step(calls, delta),
    },
  }
}

/** Memory of the process: the machines of the last requests with such names. */
const BACK = createRecent<Machine<NamedCalls, Delta, Delta>>()

const reversed = (names: KeyNames): KeyNames => new Map([...names].map(([name, fitting]) => [fitting, name]))

const backFor = (renames: Renames): Machine<NamedCalls, Delta, Delta> => {
  const own = [...renames].map(([tool, names]) => [tool, reversed(names)] as const)
  const key = JSON.stringify(own.map(([tool, names]) => [tool, [...names]]))
  return BACK(key, () => toOwnParameters(new Map(own)))
}

// ---------------------------------------------------------------- the pass

/**
 * Functions have parameters whose names the model accepts: schemas and old calls have them, and new calls have the
 * client's own names again.
 */
export const parameterNames: Pass = (client, { model, quirks, wire }) => {
  if (client.request.tools.length === 0 || factsOf({ model, quirks }, wire.name).parameterNames !== 'plain') return null
  const renames = renamesOf(client.request)
  if (renames.size === 0) return null
  return {
    client: { ...client, sent: { ...client.sent, body: withOwnExamples(client, renames), isIntact: false } },
    apply: (request) => withFittingNames(request, renames),
    back: backFor(renames),
  }
}
