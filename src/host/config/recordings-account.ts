import { err, ok, type Result } from '../../protocol/result.ts'
import type { WireName } from '../../wires/contract.ts'
import { WIRES } from '../../wires/registry.ts'
import { redactor } from '../../wires/shared/upstream/redact.ts'
import { listRecordings, readRecording, recordedTransport, unknownRecording } from '../upstream/recordings.ts'
import { REPLAY } from './checks.ts'
import type { VendorAccount } from './vendors.ts'

export interface Recordings {
  /** Their shortest names. */
  readonly names: readonly string[]
  /** `name`: `<name>` or `<wire>/<name>`. If several wires have the name, the first wire plays it. */
  find(name: string): Promise<Result<VendorAccount>>
}

/** `root`: the folder of recordings; undefined: the folder in the package. */
export function createRecordings(root?: URL): Recordings {
  const wires = Object.keys(WIRES) as WireName[]
  const known = new Map(
    wires
      .toReversed()
      .flatMap((wire) =>
        listRecordings(wire, root).flatMap((name) => [
          [name, { wire, name }] as const,
          [`${wire}/${name}`, { wire, name }] as const,
        ]),
      ),
  )
  return {
    names: [...known.keys()].filter((name) => !name.includes('/')).sort(),
    async find(model) {
      const found = known.get(model)
      if (found === undefined) return err(unknownRecording(model, [...known.keys()]))
      const { wire, name } = found
      const recording = await readRecording(wire, name, root)
      return ok({
        name: REPLAY,
        wire: WIRES[wire],
        // A request names a recording by its own name; the answer must not replace it by the model that produced the
        // recording.
        quirks: { ...recording.quirks, ownModelNames: true, countsTokens: false },
        baseUrl: 'replay://',
        headers: {},
        key: null,
        needsKey: false,
        bodyEdits: {},
        passthrough: true,
        cache: 'auto',
        redact: redactor([]),
        source: recordedTransport(recording),
        others: new Map(),
      })
    },
  }
}
