import { findVendor, VENDOR_NAMES } from '../../vendors/registry.ts'
import type { Vendor } from '../../vendors/vendor.ts'
import type { Wire, WireName } from '../../wires/contract.ts'
import { detectWire } from '../../wires/detect-wire.ts'
import { findWire } from '../../wires/find-wire.ts'
import { WIRES } from '../../wires/registry.ts'
import { findNamed, unknownName } from '../names.ts'
import type { Streams } from '../streams.ts'
import { shownFile } from './read-input.ts'

/** Returns the wire of the bytes of a file. Throws an Error with the candidates if it is not certain. */
export type WireChoice = (file: string, bytes: Uint8Array) => Wire

/**
 * The wire of `--from`, unless the bytes are certainly those of another; else that of the vendor, among whose wires the bytes decide; else that of the bytes. Throws an
 * Error for an unknown wire.
 */
export function chooseWire(from: string | undefined, vendor: Vendor | undefined): WireChoice {
  if (from !== undefined) {
    const wire = findNamed('--from', from, Object.keys(WIRES), findWire)
    return (file, bytes) => {
      const detected = detectWire(bytes)
      if (detected === null || detected === wire.name) return wire
      throw new Error(
        `${shownFile(file)}: --from ${wire.name} does not fit, its bytes have the protocol ${detected}. Pass --from ${detected}, or neither --from nor --vendor.`,
      )
    }
  }
  if (vendor !== undefined) return (_, bytes) => WIRES[wireOfVendor(vendor, bytes)]
  return (file, bytes) => {
    const name = detectWire(bytes)
    if (name !== null) return WIRES[name]
    throw new Error(bytes.length === 0 ? `${shownFile(file)} is empty.` : `${shownFile(file)}: ${undetected(bytes)}`)
  }
}

function wireOfVendor({ wire, wires = {} }: Vendor, bytes: Uint8Array): WireName {
  if (Object.keys(wires).length === 0) return wire
  const detected = detectWire(bytes)
  return detected !== null && Object.hasOwn(wires, detected) ? detected : wire
}

/** Bytes enough for the start of every framing. */
const START = 1000

function undetected(bytes: Uint8Array): string {
  const start = new TextDecoder().decode(bytes.subarray(0, START))
  // An object is a line of a stream of one wire, and a body of every wire.
  const framed = /^\ufeff?\s*\{/.test(start)
    ? []
    : Object.values(WIRES).filter(({ framing }) => framing.looksLike.test(start))
  const candidates = framed.length === 0 ? Object.values(WIRES) : framed
  return `its bytes do not show their wire. Pass --from with one of: ${candidates.map(({ name }) => name).join(', ')}.`
}

/** The row of a vendor; undefined for a vendor without one, whose recordings have no quirks, with a line about it. */
export function vendorRow(name: string | undefined, { stderr }: Streams): Vendor | undefined {
  const row = name === undefined ? undefined : findVendor(name)
  if (name !== undefined && row === undefined) {
    stderr.write(`millrace: ${unknownName('--vendor', name, VENDOR_NAMES, { consequence: ': no quirks' })}\n`)
  }
  return row
}
