import { TARGET_NAMES } from '../../../alignment/named-target.ts'

/** The state of the view in the fragment of the address. */
export interface CompareSettings {
  /** Empty: the wire is detected from the bytes. */
  readonly wire: string
  /** The vendor whose quirks apply; empty: none. */
  readonly vendor: string
  readonly targets: readonly string[]
  /** The name of a recording of the server; empty: none. */
  readonly fixture: string
  /** A recording in the form of `packBytes`; empty: none. */
  readonly data: string
}

const FIRST_TARGETS = ['openai', 'anthropic-messages']

/** Unknown targets are left out. */
export function readCompareSettings(parameters: URLSearchParams): CompareSettings {
  const named = parameters.get('to')?.split(',') ?? FIRST_TARGETS
  return {
    wire: parameters.get('wire') ?? '',
    vendor: parameters.get('vendor') ?? '',
    targets: TARGET_NAMES.filter((name) => named.includes(name)),
    fixture: parameters.get('fixture') ?? '',
    data: parameters.get('data') ?? '',
  }
}

export function writeCompareSettings({ wire, vendor, targets, fixture, data }: CompareSettings): URLSearchParams {
  const all = { wire, vendor, to: targets.join(','), fixture, data }
  return new URLSearchParams(Object.entries(all).filter(([name, value]) => value !== '' || name === 'to'))
}
