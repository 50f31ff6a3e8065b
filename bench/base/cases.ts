import type { WireName } from '../../src/wires/contract.ts'
import { WIRE_NAMES } from '../pipeline/cases.ts'
import { CUTS, type Cut, type Kind } from '../pipeline/inputs.ts'

export interface BaseCase {
  readonly name: string
  readonly wire: WireName
  readonly kind: Kind
  /** Bytes of a read; 0 is one event a read. */
  readonly cut: number
}

const BIG = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate'] as const
const WAYS: readonly (readonly [Kind, Cut])[] = [
  ['text', 'event'],
  ['text', '16 KiB'],
  ['arguments', 'event'],
  ['short', 'event'],
]

const caseOf = (wire: WireName, kind: Kind, cut: Cut): BaseCase => ({
  name: `${wire} ${kind}, ${cut}`,
  wire,
  kind,
  cut: CUTS[cut],
})

/** To the dialect `openai`. */
export const baseCases = (): readonly BaseCase[] => [
  ...BIG.flatMap((wire) => WAYS.map(([kind, cut]) => caseOf(wire, kind, cut))),
  caseOf('bedrock-converse', 'text', 'event'),
  caseOf('openai-chat', 'brackets', 'event'),
  ...WIRE_NAMES.map((wire) => caseOf(wire, 'reply', 'event')),
  ...WIRE_NAMES.map((wire) => caseOf(wire, 'calls', 'event')),
]
