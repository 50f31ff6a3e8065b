import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { REPLAY } from '../../gateway/config/checks.ts'
import type { Transport } from '../../gateway/upstream/transport.ts'
import type { VendorAccount } from '../../gateway/vendors/accounts.ts'
import type { Recordings } from '../../gateway/vendors/vendor-registry.ts'
import { err, ok } from '../../protocol/result.ts'
import type { WireName } from '../../wires/contract.ts'
import type { Quirks } from '../../wires/quirks.ts'
import { redactor } from '../../wires/redact.ts'
import { WIRES } from '../../wires/registry.ts'
import { readExchanges } from '../recording/read-exchange.ts'
import { listRecordings, readRecording, recordedTransport, unknownRecording } from '../recording/recordings.ts'
import { playExchange } from '../recording/replay-transport.ts'

/** `root`: the folder of recordings; undefined: the folder in the package. */
export function createRecordings(root?: URL): Recordings {
  const wires = Object.keys(WIRES) as WireName[]
  const known = new Map(
    wires.flatMap((wire) =>
      listRecordings(wire, root).map((name) => [recordedModel(wire, name), { wire, name }] as const),
    ),
  )
  const exchanges = root === undefined ? new Map<string, PlayedExchange>() : exchangesIn(root)
  return {
    isChosen: root !== undefined,
    names: [...known.keys(), ...exchanges.keys()].sort(),
    async find(model) {
      const exchange = exchanges.get(model)
      if (exchange !== undefined) return ok(accountOf(exchange.wire, exchange.quirks, exchange.source))
      const found = known.get(model)
      if (found === undefined) return err(unknownRecording(model, [...known.keys(), ...exchanges.keys()]))
      const { wire, name } = found
      const recording = await readRecording(wire, name, root)
      return ok(accountOf(wire, recording.quirks, recordedTransport(recording)))
    },
  }
}

/** The one name of a recording below the vendor `replay`. */
export const recordedModel = (wire: WireName, name: string): string =>
  wire === 'openai-chat' ? name : `${wire}/${name}`

/**
 * A request names a recording by its own name; the answer must not replace it by the model that produced the recording.
 */
const accountOf = (wire: WireName, quirks: Quirks, source: Transport): VendorAccount => ({
  name: REPLAY,
  wire: WIRES[wire],
  quirks: { ...quirks, ownModelNames: true, countsTokens: false },
  baseUrl: 'replay://',
  headers: {},
  key: null,
  needsKey: false,
  bodyEdits: {},
  passthrough: true,
  traces: false,
  learns: false,
  cache: 'auto',
  redact: redactor([]),
  identity: { account: REPLAY, vendor: REPLAY },
  source,
  others: new Map(),
  member: null,
  boundary: null,
  pool: null,
})

/** One recorded exchange as an upstream, whatever the request is. */
interface PlayedExchange {
  readonly wire: WireName
  readonly quirks: Quirks
  readonly source: Transport
}

/** The exchanges of a folder, by the names of theirs. */
function exchangesIn(root: URL): ReadonlyMap<string, PlayedExchange> {
  const stored = existsSync(root) ? readExchanges(fileURLToPath(root)).exchanges : []
  return new Map(
    stored.flatMap((exchange) => {
      const { wire, quirks } = exchange.settings
      const source: Transport = (_, signal) => playExchange(exchange, 'recorded', signal)
      return wire === null ? [] : [[exchange.name, { wire, quirks, source }] as const]
    }),
  )
}
