import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { getOrCreate } from '../../src/collections/get-or-create.ts'
import type { Request } from '../../src/protocol/request.ts'
import { runSteps } from '../../src/text/steps.ts'
import { findVendor, VENDOR_NAMES } from '../../src/vendors/registry.ts'
import type { Vendor } from '../../src/vendors/vendor.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { type Fields, requestsOf } from '../arbitraries/requests.ts'
import { clientOf } from '../engine/client-of.ts'
import { encodeClients } from '../engine/encode-request.ts'
import { targetOf } from '../engine/target.ts'
import { checkCase, IS_WHOLE } from '../property.ts'
import { requestOf } from '../request-bodies.ts'
import { expectOrder, type VendorSchema } from '../vendor-schemas/schema.ts'
import { VENDOR_SCHEMAS } from '../vendor-schemas/wires.ts'

/** Any request gives a body that the vendor accepts: in its fields, its values and the order of its messages. */

type Row = Pick<Vendor, 'name' | 'wire' | 'quirks'>

/** Every vendor on each of its wires. */
const VENDORS = VENDOR_NAMES.flatMap((name): readonly Row[] => {
  const vendor = findVendor(name)
  if (vendor === undefined) return []
  const others = Object.entries(vendor.wires ?? {}).map(([wire, { quirks }]) => ({
    name,
    wire: wire as WireName,
    quirks,
  }))
  return [vendor, ...others]
})

/** Vendors of one wire with the same quirks are one row: the same requests would be encoded in the same way. */
const ROWS: Row[] = []
for (const { name, wire, quirks } of VENDORS) {
  const at = ROWS.findIndex((row) => row.wire === wire && isDeepStrictEqual(row.quirks, quirks))
  if (at < 0) ROWS.push({ name, wire, quirks })
  else ROWS[at] = { name: `${ROWS[at]?.name}, ${name}`, wire, quirks }
}

/** Vendors of one wire are asked with the same requests, which are read once. */
const READ = new Map<string, Request>()
const readOnce = (fields: Fields): Request => getOrCreate(READ, JSON.stringify(fields), () => requestOf(fields))

it.each(ROWS)('requests to $name fit the schema and the message order of $wire', ({ wire: name, quirks }) => {
  const { schema, models, turnsOf, order, orderOf }: VendorSchema = VENDOR_SCHEMAS[name]
  const counts = { sent: 0, refused: 0 }
  const requests = models.map((model) => fc.tuple(fc.constant(model), requestsOf(name, model)))
  const asked = fc.constantFrom(...requests).chain((one) => one)
  checkCase(
    fc.property(asked, ([model, fields]) => {
      // An upstream that cannot call tools refuses requests with functions, unless `tool_choice` is `none`.
      const callsNone = quirks.refuses?.includes('tools') === true && fields.tools !== undefined
      const request = readOnce(callsNone ? { ...fields, tool_choice: 'none' } : fields)
      const client = clientOf(request, fields)
      const encoded = runSteps(encodeClients(client, WIRES[name], targetOf(name, quirks, model)))
      if (!encoded.ok) {
        counts.refused += 1
        const { party, status } = encoded.error
        if (party !== 'client' || status !== 400) expect(encoded.error).toMatchObject({ party: 'client', status: 400 })
        return
      }
      counts.sent += 1
      const body = JSON.parse(JSON.stringify(encoded.body))
      const found = schema.safeParse(body)
      if (!found.success) expect(found.error.issues, JSON.stringify(body)).toEqual([])
      expectOrder(turnsOf(body), { ...order, ...orderOf?.(quirks) })
    }),
    400,
  )
  // The few requests of a short run may be those that a wire refuses.
  if (IS_WHOLE) expect(counts.sent).toBeGreaterThan(counts.refused)
})
