import { readFileSync } from 'node:fs'
import { recordedModel } from '../../src/host/config/recordings-account.ts'
import { listRecordings } from '../../src/host/recording/recordings.ts'
import type { OtherWire } from '../../src/vendors/other-wires.ts'
import { findVendor, VENDOR_NAMES } from '../../src/vendors/registry.ts'
import type { Vendor } from '../../src/vendors/vendor.ts'
import type { WireName } from '../../src/wires/contract.ts'
import type { ClientWireName } from '../../src/wires/names.ts'
import { QUIRK_DESCRIPTIONS } from '../../src/wires/quirk-descriptions.ts'
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
    ['provider', 'wire', 'base URL'],
    vendors().flatMap((vendor) =>
      wiresOf(vendor).map(([wire, other]) => [code(vendor.name), code(wire), code(other.baseUrl)]),
    ),
  )

/** The quirks of each row, and of the further wires. */
export const vendorQuirkTable = (): string =>
  table(
    ['provider', 'wire', 'quirks'],
    vendors()
      .flatMap((vendor) => [
        [code(vendor.name), code(vendor.wire), quirksOf(vendor)],
        ...wiresOf(vendor).map(([wire, other]) => [code(vendor.name), code(wire), quirksOf(other)]),
      ])
      .filter(([, , quirks]) => quirks !== ''),
  )

export const vendorTable = (): string =>
  table(
    ['provider', 'wire', 'key variable', 'base URL'],
    vendors().map((vendor) => [
      code(vendor.name),
      code(vendor.wire),
      orElse(vendor.keyVariable, 'none'),
      orElse(vendor.baseUrl, 'yours'),
    ]),
  )

/** The pages that describe more of a quirk. */
const QUIRK_PAGES: Readonly<Record<string, string>> = { countsTokens: 'See [token counts](token-counts.md)' }

export const quirkTable = (): string =>
  table(
    ['quirk', 'meaning'],
    Object.entries(QUIRK_DESCRIPTIONS).map(([name, meaning]) => [
      code(name),
      [meaning, QUIRK_PAGES[name] ?? []].flat().join('. '),
    ]),
  )

/** The first sentence of the page of a wire, up to its first colon or full stop. */
function summaryOf(wire: WireName): string {
  const page = readFileSync(new URL(`../wires/${wire}.md`, import.meta.url), 'utf8')
  const [, summary] = /^# .*\n+(.*?)(?:[.:](?:\s|$))/m.exec(page) ?? []
  if (summary === undefined) throw new Error(`docs/wires/${wire}.md does not begin with a sentence about the wire.`)
  return summary
}

const CLIENT_PAGES = {
  'openai-chat': 'chat-completions',
  'openai-responses': 'responses',
  'anthropic-messages': 'messages',
  'gemini-generate': 'gemini',
  'gemini-interactions': 'interactions',
  'ollama-chat': 'ollama',
} as const satisfies Readonly<Record<ClientWireName, string>>

/** One row a wire: as upstream, and as the protocol of clients. `up`: the path from the page to `docs/`. */
export const wireTable = (up: string): string =>
  table(
    ['protocol', 'as upstream', 'as client', 'providers'],
    Object.values(WIRES).map((wire) => {
      const page: string | undefined = (CLIENT_PAGES as Readonly<Record<string, string>>)[wire.name]
      const serves = wire.client !== undefined || wire.dialect !== undefined
      if (serves !== (page !== undefined)) throw new Error(`The client page of ${wire.name} is missing, or too many.`)
      return [
        summaryOf(wire.name),
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
  length: 'a response cut by `max_output_tokens`: incomplete',
  'content-filter': 'a response stopped by a filter: incomplete',
  'error-midstream': 'an error within a stream of status 200: failed',
  'cut-off': 'a connection that ends early: failed',
  untidy: 'comments, CRLF, pings, two finish reasons, no space after `data:`',
}

/** The recordings that the package holds, as models of the vendor `replay`. */
export function recordingTable(): string {
  const names = (wire: WireName): readonly string[] => [...listRecordings(wire)].sort()
  const chat = names('openai-chat').map((name) => [
    code(`replay/${recordedModel('openai-chat', name)}`),
    RECORDINGS[name] ?? `no meaning of "${name}"`,
  ])
  const others = Object.values(WIRES)
    .map((wire) => wire.name)
    .filter((wire) => wire !== 'openai-chat')
    .map((wire) => [code(`replay/${recordedModel(wire, 'NAME')}`), `NAME: ${codes(names(wire))}`])
  return table(['model', 'shows'], [...chat, ...others])
}
