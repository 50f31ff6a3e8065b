import type { WireName } from '../../src/wires/contract.ts'
import { answerOf } from './answers.ts'
import { type ClientName, historyOf } from './histories.ts'
import { IMAGE_SIZE, imagesOf } from './images.ts'
import type { PartName } from './series.ts'

const MB = 1_000_000
/** For each MB of text. At 8 MB one text has as many citations as the gateway keeps of one. */
const CALLS = 200
const CITATIONS = 1200

export const historyText = (client: ClientName, items: number): string => JSON.stringify(historyOf(client, items))

export const imagesText = (client: ClientName, size: number): string =>
  JSON.stringify(imagesOf(client, Math.round((size * MB) / IMAGE_SIZE)))

export const answerText = (wire: WireName, size: number): string =>
  JSON.stringify(answerOf(wire, { size: size * MB, calls: size * CALLS, citations: size * CITATIONS }))

/** The body of a request of the Responses API for a part. */
export const requestText = (part: PartName, client: ClientName, size: number): string =>
  part.endsWith('histories') ? historyText(client, size) : imagesText(client, size)
