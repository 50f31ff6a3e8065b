import { listRecordings } from '../../src/host/upstream/recordings.ts'
import type { OtherWire } from '../../src/vendors/other-wires.ts'
import { findVendor, VENDOR_NAMES } from '../../src/vendors/registry.ts'
import type { Vendor } from '../../src/vendors/vendor.ts'
import type { WireName } from '../../src/wires/contract.ts'
import type { Quirks } from '../../src/wires/quirks.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { code, codes, table } from './markdown.ts'

const vendors = (): readonly Vendor[] => VENDOR_NAMES.flatMap((name) => findVendor(name) ?? [])

const orElse = (value: string | null, otherwise: string): string => (value === null ? otherwise : code(value))

const showValue = (value: unknown): string => {
  if (Array.isArray(value)) return codes(value)
  return code(typeof value === 'string' ? value : JSON.stringify(value))
}

const showQuirk = ([name, value]: readonly [string, unknown]): string =>
  value === true ? code(name) : `${code(name)}: ${showValue(value)}`

const quirksOf = ({ quirks }: Pick<Vendor, 'quirks'>): string => Object.entries(quirks).map(showQuirk).join('; ')

const wiresOf = ({ wires = {} }: Vendor): readonly (readonly [WireName, OtherWire])[] =>
  Object.entries(wires) as [WireName, OtherWire][]

/** The further wires of the vendors, with their addresses. */
export const otherWireTable = (): string =>
  table(
    ['vendor', 'wire', 'base URL', 'quirks'],
    vendors().flatMap((vendor) =>
      wiresOf(vendor).map(([wire, other]) => [code(vendor.name), code(wire), code(other.baseUrl), quirksOf(other)]),
    ),
  )

export const vendorTable = (): string =>
  table(
    ['vendor', 'wire', 'key variable', 'base URL', 'quirks'],
    vendors().map((vendor) => [
      code(vendor.name),
      code(vendor.wire),
      orElse(vendor.keyVariable, 'none'),
      orElse(vendor.baseUrl, 'yours'),
      quirksOf(vendor),
    ]),
  )

/** Without the fields that are set for single requests. */
type Configurable = Omit<Quirks, 'jsonAnswer'>

const QUIRKS = {
  thinkTags:
    'Models write their reasoning into the text, between `<think>` and `</think>`. `unopened`: the opening tag is in the prompt, and the answer has the closing one only',
  unmarkedSources: 'Lists the pages that it searched without marks in the text that cite them (xAI chat)',
  runsCustomCalls: 'Its custom tool calls are searches that it runs itself; they do not reach the client (xAI)',
  keyHeader: 'Header for the key. Default: `Authorization: Bearer`',
  clientHeaders: 'Headers of a client that it accepts, of those that its wire carries. Default: all of them',
  rawPredict: 'Serves Anthropic’s models as Vertex does: the model in the path, the version in the body',
  likeModels:
    'Maps model names of the upstream to names of the wire’s table of models; `*` for every other unknown name',
  openaiModels: 'Serves OpenAI’s own models, some of which need other fields',
  openaiFields: 'Has `service_tier`, `verbosity`, `safety_identifier` and `prompt_cache_key`',
  cacheControl: 'Takes `cache_control` on parts and tools, as Anthropic does',
  developerRole: 'Distinguishes system and developer messages. Default: both are sent as system',
  customTools: 'Accepts custom tools, whose input is free text',
  namespaces: 'Accepts tools in namespaces (openai-responses); left out: under joined names',
  maxTokensField: 'Its name of `max_output_tokens`. Default: `max_tokens`',
  noStreamOptions: 'Refuses or does not need `stream_options`',
  refuses: 'Fields that it refuses; they are dropped as losses',
  refusesInSchemas:
    'Features of the parameters of functions that it refuses: `$ref` (references are inlined), `rootUnion` (`anyOf`, `oneOf`, `allOf` at the top level are merged into one object), or keywords, which are removed. Each change is a loss; the schema accepts at least the same arguments',
  maxTemperature: 'Highest temperature. Default: 2',
  effort: 'How reasoning effort is requested. Default: `reasoning_effort`',
  reasoningHistory: 'Field of an assistant message in which it accepts its reasoning. Default: none; it is dropped',
  requiredWord: 'Its word for the tool choice `required`',
  noNamedChoice: 'Has no tool choice for one named function: only that function is sent',
  lateSystem:
    'Refuses system messages after the first message: `first` makes one message of all at the beginning, `user` sends later ones as messages of the user',
  noJsonSchema: 'Has JSON output, but no schemas for it',
  refusalAsText: 'Has no field for a refusal in the history: it is sent as text',
  files: 'How files are sent. Default: as `file` parts with their data. `file-url`: a URL is accepted as data',
  bareAudio: 'Accepts audio data without its format',
  callIds:
    'Call ids that it accepts: `short` (40 characters), `long` (64), `nine` (nine letters and digits). Default: any',
  noUserAfterTool: 'Refuses a user message after a tool message: an assistant message is inserted',
  strictTurns: 'Roles must alternate: neighbours of one role are merged',
  hostedHistory: 'Accepts items of tools that it ran itself',
  changesInInput:
    'Has these items of the input, and the search of tools (`openai-responses`). Default: none; their tools and settings apply to the whole request',
  compaction:
    'Compacts a conversation that ends with a `compaction_trigger` (openai-responses). Default: its model writes a summary',
  webSearch: 'Style of its search tool (`openai-responses`). Default: `openai`',
  streamsOnly: 'Answers in streams only (ChatGPT’s backend)',
  needsInstructions: 'Refuses a request without instructions (ChatGPT’s backend)',
  noSystemRole: 'Rejects the `system` role; instructions are sent as `developer`',
  alwaysSearches: 'Searches for every answer: a search tool becomes fields of the body (Perplexity)',
  ownModelNames: 'Models are requested by names that it does not report (deployments, endpoints)',
  countsTokens:
    'Counts the tokens of a request ([token counts](token-counts.md)). `plain`: the fields of the request are those of the count itself (Vertex AI). Default: as usual for its wire',
  nativeSearch:
    'Domain filters of its own search: `none` (no search), `plain` (no filter), `allowed`, `either`, `both`',
} as const satisfies Record<keyof Configurable, string>

export const quirkTable = (): string =>
  table(
    ['quirk', 'meaning'],
    Object.entries(QUIRKS).map(([name, meaning]) => [code(name), meaning]),
  )

const NAMES = {
  'openai-chat': 'OpenAI Chat Completions, and all compatible servers',
  'openai-responses': 'OpenAI Responses',
  'anthropic-messages': 'Anthropic Messages, also on Vertex',
  'gemini-generate': 'Gemini `generateContent`, also on Vertex',
  'bedrock-converse': 'Amazon Bedrock Converse',
  'cohere-chat': 'Cohere Chat v2',
  'ollama-chat': 'Ollama',
} as const satisfies Record<keyof typeof WIRES, string>

const CLIENT_PAGES = {
  'openai-chat': 'chat-completions',
  'openai-responses': 'responses',
  'anthropic-messages': 'messages',
  'gemini-generate': 'gemini',
  'ollama-chat': 'ollama',
} as const satisfies Partial<Record<keyof typeof WIRES, string>>

/** One row a wire: as upstream, and as the protocol of clients. `up`: the path from the page to `docs/`. */
export const wireTable = (up: string): string =>
  table(
    ['protocol', 'as upstream', 'as client', 'vendors'],
    Object.values(WIRES).map((wire) => {
      const page: string | undefined = (CLIENT_PAGES as Readonly<Record<string, string>>)[wire.name]
      const serves = wire.client !== undefined || wire.dialect !== undefined
      if (serves !== (page !== undefined)) throw new Error(`The client page of ${wire.name} is missing, or too many.`)
      return [
        NAMES[wire.name],
        `[${code(wire.name)}](${up}wires/${wire.name}.md)`,
        page === undefined ? '–' : `[${page}](${up}clients/${page}.md)`,
        String(
          vendors().filter((vendor) => [vendor.wire, ...wiresOf(vendor).map(([name]) => name)].includes(wire.name))
            .length,
        ),
      ]
    }),
  )

const RECORDINGS: Readonly<Record<string, string>> = {
  hello: 'plain text',
  reasoning: 'reasoning, then text',
  'think-tags': 'reasoning in the text, between `<think>` and `</think>`',
  'weather-tool': 'one function call',
  'parallel-tools': 'two function calls',
  citations: 'text with URL citations',
  refusal: 'a refusal',
  length: 'an answer cut by `max_output_tokens`: incomplete',
  'content-filter': 'an answer stopped by a filter: incomplete',
  'error-midstream': 'an error within a stream of status 200: failed',
  'cut-off': 'a connection that ends early: failed',
  untidy: 'comments, CRLF, pings, two finish reasons, no space after `data:`',
}

/** The recordings that the package holds, as models of the vendor `replay`. */
export function recordingTable(): string {
  const names = (wire: WireName): readonly string[] => [...listRecordings(wire)].sort()
  const chat = names('openai-chat').map((name) => [
    code(`replay/${name}`),
    RECORDINGS[name] ?? `no meaning of "${name}"`,
  ])
  const others = Object.values(WIRES)
    .map((wire) => wire.name)
    .filter((wire) => wire !== 'openai-chat')
    .map((wire) => [code(`replay/${wire}/NAME`), `NAME: ${codes(names(wire))}`])
  return table(['model', 'shows'], [...chat, ...others])
}
