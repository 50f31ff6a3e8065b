import { dropped, formatLoss, type Loss, listLosses, toldOf } from '../protocol/loss.ts'
import type { Exchange } from './exchange.ts'

const HEADER = 'x-responses-losses'
const LONGEST_HEADER = 1000

/** Of the request: whole in the log; in the header, which is short and plain, what became of which place. */
export function noteLosses(exchange: Exchange, losses: readonly Loss[]): void {
  exchange.losses = losses
  exchange.entry.losses = toldOf(losses).map(formatLoss)
  writeHeader(exchange, losses)
}

/** Of what was asked of the upstream later on, for the same request. */
export function noteMoreLosses(exchange: Exchange, losses: readonly Loss[]): void {
  const { entry } = exchange
  const known = new Set(exchange.losses.map(formatLoss))
  exchange.losses = [...exchange.losses, ...losses.filter((loss) => !known.has(formatLoss(loss)))]
  entry.losses = unique([...entry.losses, ...toldOf(losses).map(formatLoss)])
}

/** Of the answer: in the log, and in the header where nothing was sent yet. */
export function noteAnswerLosses(exchange: Exchange, losses: readonly string[]): void {
  const { entry } = exchange
  entry.losses = unique([...entry.losses, ...losses])
  // A comma separates entries, and some losses repeat an upstream's word.
  const ofAnswer = losses.map((loss) => dropped(`answer: ${loss.replaceAll(',', ' ')}`, ''))
  writeHeader(exchange, [...exchange.losses, ...ofAnswer])
}

const unique = (losses: readonly string[]): readonly string[] => [...new Set(losses)]

function writeHeader({ response }: Exchange, losses: readonly Loss[]): void {
  if (losses.length > 0 && !response.headersSent) response.setHeader(HEADER, listLosses(losses, LONGEST_HEADER))
}
