import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/protocol/json.ts'
import type { Loss } from '../../src/protocol/loss.ts'
import { isObject } from '../../src/text/json.ts'
import { pathIn } from '../../src/validation/messages.ts'
import type { Quirks } from '../../src/wires/quirks.ts'
import { BODIES } from '../arbitraries/bodies.ts'
import { CHATS, CONTENTS, MESSAGES, OLLAMAS } from '../arbitraries/client-requests.ts'
import { check } from '../property.ts'
import { ownConversations } from './own-conversations.ts'
import { encodeOwn, SHARED_WIRES, type SharedWire } from './own-upstream.ts'

/** The hub translates a body for an upstream of the same protocol: members that it does not model arrive all the same. */

const POOLS: Readonly<Record<SharedWire, readonly JsonObject[]>> = {
  'openai-chat': CHATS.filter(({ tools }) => JSON.stringify(tools) !== '[{"type":"web_search"}]'),
  'anthropic-messages': MESSAGES,
  'gemini-generate': CONTENTS,
  'ollama-chat': OLLAMAS,
  'openai-responses': BODIES as readonly JsonObject[],
}

/** Objects that are free JSON, or that the gateway runs or reads as a whole. */
const FREE: Readonly<Record<SharedWire, RegExp>> = {
  'openai-chat': /\.(?:parameters|schema|format)$|^metadata/,
  'anthropic-messages': /\.(?:input|input_schema|schema|user_location|caller)$/,
  'gemini-generate': /\.(?:args|response|parameters|response(?:Json)?Schema)$|^labels|[sS]earch$|[eE]xecution$/,
  'ollama-chat': /\.(?:parameters|arguments)$|^format/,
  'openai-responses':
    /\.(?:parameters|schema|filters)$|tools\[\d\]\.format$|^metadata|^plugins|^tools\[3\]|^input\[8\]/,
}

const isJsonObject = (value: Json | undefined): value is JsonObject => isObject(value)

const isWithin = (path: string, outer: string): boolean =>
  path.startsWith(outer) && ['', '.', '['].includes(path.charAt(outer.length))

const isLost = (losses: readonly Loss[], path: string): boolean => losses.some((loss) => isWithin(path, loss.path))

// ---------------------------------------------------------------- marked bodies

/** An object of a client's body with one more member, whose value is its path. */
interface Marked {
  readonly path: string
  readonly object: JsonObject
}

const MARK = 'x_unknown'

/** Adds the member to each object for which `picks` returns true. */
function markObjects(value: Json, path: string, free: RegExp, picks: () => boolean, marked: Marked[]): Json {
  if (Array.isArray(value))
    return (value as readonly Json[]).map((one, at) => markObjects(one, `${path}[${at}]`, free, picks, marked))
  if (!isJsonObject(value) || free.test(path)) return value
  const members = Object.entries(value).map(([name, one]): [string, Json] => [
    name,
    markObjects(one, pathIn(path, name), free, picks, marked),
  ])
  if (!picks()) return Object.fromEntries(members)
  marked.push({ path, object: value })
  return Object.fromEntries([...members, [MARK, `at ${path}`]])
}

/** The objects with a mark, by its value. */
function marksIn(value: Json, found: Map<string, JsonObject[]> = new Map()): Map<string, JsonObject[]> {
  if (typeof value !== 'object' || value === null) return found
  if (isJsonObject(value) && typeof value[MARK] === 'string') {
    found.set(value[MARK], [...(found.get(value[MARK]) ?? []), value])
  }
  for (const one of Object.values(value) as readonly Json[]) marksIn(one, found)
  return found
}

/** Members that show which object it is. */
const IDENTITY = ['type', 'text', 'data', 'url', 'arguments', 'input', 'role']

/** Ids, which the hub rewrites for some vendors. */
const IDS = ['id', 'call_id', 'tool_call_id', 'tool_use_id']

const wordOf = (word: Json | undefined): Json | undefined => (word === 'developer' ? 'system' : word)

/** An id that returns gets a number where each call needs its own. */
const isId = (id: Json | undefined, sent: string): boolean =>
  id === sent || (typeof id === 'string' && id.startsWith(`${sent}_`))

const hasIdentity = (object: JsonObject, sent: JsonObject, { callIds }: Quirks): boolean => {
  const isKept = (name: string, isSame: (value: Json | undefined, own: string) => boolean): boolean => {
    const own = sent[name]
    return typeof own !== 'string' || object[name] === undefined || isSame(object[name], own)
  }
  return (
    IDENTITY.every((name) => isKept(name, (value, own) => wordOf(value) === wordOf(own))) &&
    (callIds !== undefined || IDS.every((name) => isKept(name, isId)))
  )
}

function expectMarks(wire: SharedWire, sent: JsonObject, marked: readonly Marked[], own: Quirks | null = null): number {
  const call = encodeOwn(wire, sent, own === null ? {} : { quirks: own })
  if (!call.ok) return 0
  const { body, losses } = call.value
  const found = marksIn(body)
  let arrived = 0
  for (const { path, object } of marked) {
    const there = found.get(`at ${path}`) ?? []
    const context = `${path} of ${JSON.stringify(sent)} in ${JSON.stringify(body)}`
    const markPath = pathIn(path, MARK)
    // A loss of the object that contains it is enough where the hub dropped that object.
    const isOwnLoss = losses.some((loss) => loss.path === markPath)
    const isLeft = isOwnLoss || (there.length === 0 && isLost(losses, markPath))
    expect(there.length, context).toBe(isLeft ? 0 : 1)
    // The hub may rewrite the settings.
    if (path.includes('[')) for (const one of there) expect(hasIdentity(one, object, own ?? {}), context).toBe(true)
    arrived += there.length
  }
  return arrived
}

/** Quirks that change the messages of a conversation. */
const quirks: fc.Arbitrary<Quirks> = fc.constantFrom<Quirks>(
  { strictTurns: true },
  { noUserAfterTool: true },
  { callIds: 'nine' },
  { callIds: 'short', refusalAsText: true },
  { noSystemRole: true },
  { files: 'none', bareAudio: true },
)

describe.each(SHARED_WIRES)('a member that the hub does not model, in a body of %s', (wire) => {
  it('arrives in its object, or is a loss with its path', () => {
    const counts = { arrived: 0, sent: 0 }
    for (const body of POOLS[wire]) {
      const marked: Marked[] = []
      const sent = markObjects(body, '', FREE[wire], () => true, marked) as JsonObject
      expect(encodeOwn(wire, sent).ok).toBe(true)
      counts.sent += marked.length
      counts.arrived += expectMarks(wire, sent, marked)
    }
    expect(counts.arrived / counts.sent).toBeGreaterThan(0.6)
  })

  it('arrives in its message and part also where messages are alike, joined or split', () => {
    const counts = { arrived: 0, sent: 0 }
    check(
      fc.property(ownConversations(wire), fc.infiniteStream(fc.boolean()), fc.option(quirks), (body, picks, own) => {
        const marked: Marked[] = []
        const sent = markObjects(body, '', FREE[wire], () => picks.next().value === true, marked) as JsonObject
        counts.sent += marked.length
        counts.arrived += expectMarks(wire, sent, marked, own)
      }),
      800,
    )
    expect(counts.arrived / counts.sent).toBeGreaterThan(0.6)
  })
})

// ---------------------------------------------------------------- whole bodies

/** Empty members request nothing, and a text is the same as a list of text parts. */
function normal(value: Json): Json {
  if (Array.isArray(value)) {
    const list = (value as readonly Json[]).map(normal).filter((one) => !(isJsonObject(one) && isBare(one)))
    const texts = list.flatMap((one) => (isJsonObject(one) && isText(one) ? [one.text as string] : []))
    return list.length > 0 && texts.length === list.length ? texts.join('\n\n') : list
  }
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).map(([name, one]): [string, Json] => [toCamel(name), normal(one)])
  return Object.fromEntries(members.filter(([, one]) => !isEmpty(one)))
}

/** A message without content. */
const isBare = (message: JsonObject): boolean => Object.keys(message).every((name) => name === 'role')

const toCamel = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

const isText = ({ text, ...rest }: JsonObject): boolean =>
  typeof text === 'string' &&
  Object.keys(rest).every((name) => name === 'type') &&
  [undefined, 'text', 'input_text', 'output_text'].includes(rest.type as string | undefined)

const isEmpty = (value: Json): boolean =>
  value === null || value === '' || value === false || (typeof value === 'object' && Object.keys(value).length === 0)

/** The value without what was dropped. */
function withoutDropped(value: Json, path: string, dropped: ReadonlySet<string>): Json {
  if (Array.isArray(value)) {
    const list: readonly Json[] = value
    return list.flatMap((one, at) => {
      const own = `${path}[${at}]`
      return dropped.has(own) ? [] : [withoutDropped(one, own, dropped)]
    })
  }
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).flatMap(([name, one]): [string, Json][] => {
    const own = pathIn(path, name)
    return dropped.has(own) ? [] : [[name, withoutDropped(one, own, dropped)]]
  })
  return Object.fromEntries(members)
}

/** The paths at which two values differ. */
function differences(left: Json | undefined, right: Json | undefined, path: string): readonly string[] {
  if (JSON.stringify(left) === JSON.stringify(right)) return []
  if (Array.isArray(left) && Array.isArray(right)) {
    const longer = Math.max(left.length, right.length)
    return Array.from({ length: longer }, (_, at) => differences(left[at], right[at], `${path}[${at}]`)).flat()
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return [path]
  const names = new Set([...Object.keys(left), ...Object.keys(right)])
  return [...names].flatMap((name) => differences(left[name], right[name], pathIn(path, name)))
}

/** The rows of the table "Rewritten by the hub" in docs/passthrough.md: the paths that each row stands for. */
const REWRITTEN: Readonly<Record<string, RegExp>> = {
  model: /^model$/,
  'settings of the response':
    /^(?:n|modalities|usage|stream|serviceTier|generationConfig\.(?:candidateCount|responseModalities))$/,
  'values without effect': /\.caller$/,
  'storage and encrypted reasoning': /^(?:store|include(?:\[\d\])?)$/,
  reasoning:
    /^(?:reasoning|reasoningEffort|thinking(?:\.(?:type|display))?|think|outputConfig(?:\.effort)?|generationConfig\.thinkingConfig\..*|generationConfig\.thinkingConfig)$/,
  'format of the response': /^(?:outputFormat|outputConfig(?:\.format)?|generationConfig\.response(?:Json)?Schema)$/,
  'schemas of functions': /\.parameters(?:JsonSchema)?$/,
  'choice of a tool': /^(?:toolChoice|toolConfig)(?:\.|$)|^tools\[\d\]$/,
  'tools in namespaces': /^input\[\d\]\.(?:name|namespace)$/,
  searches: /^(?:plugins|tools)$/,
  'functions of the older form':
    /^(?:functions|functionCall|tools|toolChoice|parallelToolCalls|messages\[\d\]\.(?:functionCall|toolCalls|role|name|toolCallId))$/,
  refusals: /^messages\[\d\]\.(?:content|refusal)$/,
  'calls and results': /\.(?:index|id|type|status|toolCallId|toolCalls\[\d\]\.(?:id|type)|name|thoughtSignature)$/,
  'order of messages': /^(?:input|contents\[\d\]\.(?:role|parts\[\d\].*))$/,
  'role of instructions': /^systemInstruction\.role$/,
}

describe('a body that the hub translates for an upstream of its own protocol', () => {
  const rewritten = Object.values(REWRITTEN)

  it.each(SHARED_WIRES)('is the same for %s but for losses and the documented changes', (wire) => {
    for (const body of POOLS[wire]) {
      const marked: Marked[] = []
      const sent = markObjects(body, '', FREE[wire], () => true, marked) as JsonObject
      for (const one of [body, sent]) {
        const call = encodeOwn(wire, one)
        if (!call.ok) expect.unreachable(call.error.message)
        const { losses, body: encoded } = call.value
        const dropped = new Set(losses.filter(({ action }) => action === 'dropped').map(({ path }) => path))
        const mapped = losses.filter(({ action }) => action === 'mapped').map(({ path }) => toCamel(path))
        const found = differences(normal(withoutDropped(one, '', dropped)), normal(encoded), '')
        const silent = found.filter(
          (path) => !rewritten.some((row) => row.test(path)) && !mapped.some((outer) => isWithin(path, outer)),
        )
        expect(silent).toEqual([])
      }
    }
  })

  it('differs only as docs/passthrough.md lists', () => {
    const page = readFileSync(new URL('../../docs/passthrough.md', import.meta.url), 'utf8')
    const [, section = ''] = page.split('## Rewritten by the hub\n')
    const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| ([^|`]+?) \| /gm)].map(([, name]) => name)
    expect(rows.filter((name) => name !== 'node')).toEqual(Object.keys(REWRITTEN))
  })
})
