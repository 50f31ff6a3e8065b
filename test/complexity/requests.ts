import { carryUnsupported } from '../../src/engine/carried-members/carry-unsupported.ts'
import { linkEntries } from '../../src/engine/origins.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { runSteps } from '../../src/text/steps.ts'
import type { KnownWire, WireName } from '../../src/wires/contract.ts'
import type { Quirks } from '../../src/wires/quirks.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { encodeFor } from '../engine/encode-request.ts'
import { requestOf } from '../request-bodies.ts'
import type { CoreCase } from './core.ts'

/** Requests and failures with n repetitions: as clients of each wire send them, and as each upstream receives them. */

const many = <T>(n: number, make: (i: number) => T): readonly T[] => Array.from({ length: n }, (_, i) => make(i))
const each = <T>(n: number, make: (i: number) => readonly T[]): readonly T[] => many(n, make).flat()

/** Reverses the order, which is the worst case for a search from the start. */
const backwards = <T>(n: number, make: (i: number) => T): readonly T[] => many(n, (i) => make(n - 1 - i))

// ---------------------------------------------------------------- requests of clients

type Bodies = Readonly<Record<string, (n: number) => JsonObject>>

const CLIENT_BODIES: Partial<Record<WireName, Bodies>> = {
  'openai-chat': {
    'calls and their outputs': (n) => ({
      model: 'm',
      messages: [
        {
          role: 'assistant',
          tool_calls: many(n, (i) => ({ id: `c${i}`, type: 'function', function: { name: 'f', arguments: '{}' } })),
        },
        ...backwards(n, (i) => ({ role: 'tool', tool_call_id: `c${i}`, content: 'x' })),
      ],
    }),
    'function calls without ids': (n) => ({
      model: 'm',
      messages: [
        ...many(n, (i) => ({ role: 'assistant', function_call: { name: `f${i}`, arguments: '{}' } })),
        ...backwards(n, (i) => ({ role: 'function', name: `f${i}`, content: 'x' })),
      ],
    }),
    'allowed tools': (n) => ({
      model: 'm',
      messages: [{ role: 'user', content: 'x' }],
      tools: many(n, (i) => ({ type: 'function', function: { name: `f${i}` } })),
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: {
          mode: 'auto',
          tools: backwards(n, (i) => ({ type: 'function', function: { name: `f${i}` } })),
        },
      },
    }),
    'fragments of reasoning details': (n) => ({
      model: 'm',
      messages: [
        {
          role: 'assistant',
          content: 'x',
          reasoning_details: many(n, (i) => ({ type: 'reasoning.text', index: 0, text: 'x', [`k${i}`]: 1 })),
        },
        { role: 'user', content: 'x' },
      ],
    }),
  },
  'anthropic-messages': {
    'server tools of one message': (n) => ({
      model: 'm',
      max_tokens: 5,
      messages: [
        {
          role: 'assistant',
          content: [
            ...many(n, (i) => ({ type: 'server_tool_use', id: `t${i}`, name: 'web_search', input: {} })),
            ...backwards(n, (i) => ({ type: 'web_search_tool_result', tool_use_id: `t${i}`, content: [] })),
          ],
        },
        { role: 'user', content: 'x' },
      ],
    }),
    'blocks of one message': (n) => ({
      model: 'm',
      max_tokens: 5,
      messages: [{ role: 'user', content: many(n, () => ({ type: 'text', text: 'x' })) }],
    }),
  },
  'gemini-generate': {
    'calls and their answers, by id': (n) => ({
      contents: [
        { role: 'model', parts: many(n, (i) => ({ functionCall: { id: `c${i}`, name: 'f', args: {} } })) },
        {
          role: 'user',
          parts: backwards(n, (i) => ({ functionResponse: { id: `c${i}`, name: 'f', response: {} } })),
        },
      ],
    }),
    'calls and their answers, by name': (n) => ({
      contents: [
        { role: 'model', parts: many(n, (i) => ({ functionCall: { name: `f${i}`, args: {} } })) },
        { role: 'user', parts: backwards(n, (i) => ({ functionResponse: { name: `f${i}`, response: {} } })) },
      ],
    }),
    'texts of one turn': (n) => ({
      contents: [
        { role: 'model', parts: many(n, () => ({ text: 'some words ' })) },
        { role: 'user', parts: [{ text: 'x' }] },
      ],
    }),
  },
  'ollama-chat': {
    'calls and their outputs, by id': (n) => ({
      model: 'm',
      messages: [
        { role: 'assistant', tool_calls: many(n, (i) => ({ id: `c${i}`, function: { name: 'f', arguments: {} } })) },
        ...backwards(n, (i) => ({ role: 'tool', tool_call_id: `c${i}`, content: 'x' })),
      ],
    }),
    'calls and their outputs, by name': (n) => ({
      model: 'm',
      messages: [
        { role: 'assistant', tool_calls: many(n, (i) => ({ function: { name: `f${i}`, arguments: {} } })) },
        ...backwards(n, (i) => ({ role: 'tool', tool_name: `f${i}`, content: 'x' })),
      ],
    }),
    'calls and their outputs, in their order': (n) => ({
      model: 'm',
      messages: [
        { role: 'assistant', tool_calls: many(n, () => ({ function: { name: 'f', arguments: {} } })) },
        ...many(n, () => ({ role: 'tool', content: 'x' })),
      ],
    }),
  },
}

const CLIENT_CASES: readonly CoreCase[] = Object.values<KnownWire>(WIRES).flatMap(({ name, client }) =>
  Object.entries(CLIENT_BODIES[name] ?? {}).map(
    ([title, body]): CoreCase => ({
      title: `a request of ${name}: ${title}`,
      work: (n) => {
        const given = body(n)
        return () => {
          if (client === undefined) throw new Error('no client side')
          const decoded = runSteps(client.decodeRequest(given, { model: 'm', stream: null, seal: null }))
          if (!decoded.ok) throw new Error(JSON.stringify(decoded.error.message))
        }
      },
    }),
  ),
)

// ---------------------------------------------------------------- requests to upstreams

const user = (i: number): JsonObject => ({ type: 'message', role: 'user', content: `w${i}` })
const call = (i: number, id = `c${i}`): JsonObject => ({
  type: 'function_call',
  call_id: id,
  name: 'f',
  arguments: '{}',
})
const output = (i: number, id = `c${i}`): JsonObject => ({ type: 'function_call_output', call_id: id, output: 'x' })
const assistantMessage = (i: number): JsonObject => ({
  type: 'message',
  role: 'assistant',
  id: `m${i}`,
  status: 'completed',
  content: [{ type: 'output_text', text: 'x', annotations: [] }],
})
const reasoningItem = (i: number): JsonObject => ({ type: 'reasoning', summary: [], encrypted_content: `e${i}` })
const file = (): JsonObject => ({
  type: 'input_file',
  filename: 'a.pdf',
  file_data: 'data:application/pdf;base64,AAAA',
})

const INPUTS: Readonly<Record<string, (n: number) => readonly JsonObject[]>> = {
  'messages of the user': (n) => many(n, user),
  'messages of the assistant': (n) => many(n, assistantMessage),
  'calls, then their outputs': (n) => [...many(n, (i) => call(i)), ...backwards(n, (i) => output(i))],
  'calls, each with its output': (n) => each(n, (i) => [call(i), output(i)]),
  'calls of one id': (n) => [...many(n, (i) => call(i, 'c')), ...many(n, (i) => output(i, 'c'))],
  'encrypted reasoning of one turn': (n) => [user(0), ...many(n, reasoningItem)],
  'files of one name': (n) => [{ type: 'message', role: 'user', content: many(n, file) }],
}

const quirksOf = (name: WireName): Quirks => (name === 'openai-chat' ? { strictTurns: true } : {})

/** A signature of Gemini: the only kind of payload whose position among other items is searched. */
const SEALED: JsonObject = { on: 'call', id: 'nowhere', signature: 's' }

const UPSTREAM_CASES: readonly CoreCase[] = Object.values<KnownWire>(WIRES).flatMap((wire) =>
  Object.entries(INPUTS).map(
    ([title, input]): CoreCase => ({
      title: `a request to ${wire.name}: ${title}`,
      work: (n) => {
        const request = requestOf({ input: input(n) })
        return () => void encodeFor(wire, request, { model: 'm', quirks: quirksOf(wire.name), open: () => SEALED })
      },
    }),
  ),
)

// ---------------------------------------------------------------- members that the hub does not model

interface Translated {
  readonly sent: readonly JsonObject[]
  readonly encoded: readonly JsonObject[]
  readonly path: (i: number) => string
}

const textBlock = (i: number): JsonObject => ({ type: 'text', text: `x${i % 3}` })

const TRANSLATED: Readonly<Record<string, (n: number) => Translated>> = {
  'messages that the hub joins': (n) => ({
    sent: many(n, (i) => ({ role: 'user', content: [{ ...textBlock(i), note: 1 }] })),
    encoded: [{ role: 'user', content: many(n, textBlock) }],
    path: (i) => `messages[${i}].content[0].note`,
  }),
  'messages that are alike, between others': (n) => ({
    sent: many(n, () => ({ role: 'user', content: 'x', note: 1 })),
    encoded: many(n + 2, (i) => ({ role: 'user', content: i === 0 || i === n + 1 ? 'y' : 'x' })),
    path: (i) => `messages[${i}].note`,
  }),
}

const UNREAD_CASES: readonly CoreCase[] = Object.entries(TRANSLATED).map(([title, make]) => ({
  title: `unsupported members of ${title}`,
  work: (n) => {
    const { sent, encoded, path } = make(n)
    const paths = new Set(many(n, path))
    const unsupported = { body: { messages: sent }, paths, withheld: new Set<string>() }
    const pairs = encoded.map((_, at) => [`messages[${at}]`, `messages[${at}]`] as const)
    return () => void runSteps(carryUnsupported(unsupported, { messages: encoded }, linkEntries(pairs)))
  },
}))

// ---------------------------------------------------------------- texts that are scanned

const failed = (message: string): string =>
  JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } })

const TEXTS: readonly CoreCase[] = [
  {
    title: 'a failure of anthropic-messages that repeats one word',
    work: (n) => {
      const body = failed('thinking '.repeat(n))
      return () => void WIRES['anthropic-messages'].decodeError(400, {}, body)
    },
    start: 2048,
  },
  {
    title: 'a failure of bedrock-converse that is mostly blank',
    work: (n) => {
      const body = JSON.stringify({ message: `${' '.repeat(n)}x` })
      return () => void WIRES['bedrock-converse'].decodeError(400, {}, body)
    },
    start: 2048,
  },
  {
    title: 'names of a schema of gemini-generate that are mostly underscores',
    work: (n) => {
      let runs = 0
      return () => {
        // The name differs in each run, because replacements of names are cached.
        runs += 1
        const parameters = { type: 'OBJECT', [`${'_'.repeat(n)}!_a${runs}`]: 1 }
        const body = {
          contents: [{ parts: [{ text: 'x' }] }],
          tools: [{ functionDeclarations: [{ name: 'f', parameters }] }],
        }
        runSteps(WIRES['gemini-generate'].client.decodeRequest(body, { model: 'm', stream: null, seal: null }))
      }
    },
    start: 2048,
  },
]

export const REQUEST_CASES: readonly CoreCase[] = [...CLIENT_CASES, ...UPSTREAM_CASES, ...UNREAD_CASES]

/** Only processor time shows the cost of a regular expression. */
export const TEXT_CASES: readonly CoreCase[] = TEXTS
