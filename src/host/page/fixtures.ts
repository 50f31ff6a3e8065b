import { readFile } from 'node:fs/promises'
import { sendError, sendJson } from '../../gateway/exchange/send.ts'
import { pathOf } from '../../gateway/exchange/url.ts'
import type { Endpoint } from '../../gateway/routing/refusals.ts'
import type { FixtureList } from '../../page-api/description.ts'
import { clientError } from '../../protocol/error.ts'
import type { WireName } from '../../wires/contract.ts'
import { WIRES } from '../../wires/registry.ts'
import { FIXTURES, framingOf, listRecordings } from '../recording/recordings.ts'
import { HttpReply } from '../server/http-reply.ts'

const WIRE_NAMES = Object.keys(WIRES) as WireName[]

/** The names of the recorded streams of the package, `<wire>/<name>`. */
const fixtureNames = (): readonly string[] =>
  WIRE_NAMES.flatMap((wire) => listRecordings(wire).map((name) => `${wire}/${name}`))

/** `GET /page/api/fixtures`: the names of the recorded streams, which are the same for everyone, as the page itself. */
export const getFixtures: Endpoint = (_, context) => {
  sendJson(context, 200, { data: fixtureNames() } satisfies FixtureList)
}

/** `GET /page/api/fixtures/{wire}/{name}`: the bytes of a recorded stream, as its upstream sent them. */
export const getFixture: Endpoint = async (_, context) => {
  const asked = pathOf(context.request).slice('/page/api/fixtures/'.length)
  // Only names of the list reach the file system.
  const name = fixtureNames().find((one) => one === asked)
  const wire = WIRE_NAMES.find((one) => name?.startsWith(`${one}/`))
  if (name === undefined || wire === undefined) return sendError(context, UNKNOWN)
  const { extension, mediaTypes } = framingOf(wire)
  const bytes = await readFile(new URL(`${name}.stream.${extension}`, FIXTURES))
  const { reply, journal } = context
  if (!(reply instanceof HttpReply) || reply.isGone()) return
  journal.add({ type: 'sent', status: 200 })
  reply.sendBytes(200, bytes, { 'content-type': mediaTypes[0], 'x-content-type-options': 'nosniff' })
}

const UNKNOWN = clientError(
  'not_found',
  'This server has no recording of this name. GET /page/api/fixtures lists them.',
)
