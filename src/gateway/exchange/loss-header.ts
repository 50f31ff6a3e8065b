import { dropped, formatLoss, formatLosses, type Loss, reportedLosses } from '../../protocol/loss.ts'
import type { RequestContext } from './request-context.ts'

const HEADER = 'x-responses-losses'
const LONGEST_HEADER = 1000

/**
 * Records the losses of a request: in full in the log; in the header, which is short and plain, with path and action.
 * `edits`: those of a body that is passed through, for the log.
 */
export function noteLosses(
  context: RequestContext,
  { losses, edits }: { readonly losses: readonly Loss[]; readonly edits: readonly string[] | null },
): void {
  context.losses = losses
  context.entry.edits = edits
  context.entry.losses = reportedLosses(losses).map(formatLoss)
  // An earlier attempt at another upstream may have had losses.
  if (!context.reply.hasStarted()) context.reply.removeHeaders(HEADER)
  writeHeader(context, losses)
}

/** Records the losses of further upstream requests of the same exchange. */
export function noteMoreLosses(context: RequestContext, losses: readonly Loss[]): void {
  const { entry } = context
  const known = new Set(context.losses.map(formatLoss))
  context.losses = [...context.losses, ...losses.filter((loss) => !known.has(formatLoss(loss)))]
  entry.losses = unique([...entry.losses, ...reportedLosses(losses).map(formatLoss)])
}

/** Records the losses of the answer: in the log, and in the header if nothing was sent yet. */
export function noteAnswerLosses(context: RequestContext, losses: readonly string[]): void {
  const { entry } = context
  entry.losses = unique([...entry.losses, ...losses])
  // A comma separates entries, and some losses repeat an upstream's text.
  const ofAnswer = losses.map((loss) => dropped(`answer: ${loss.replaceAll(',', ' ')}`, ''))
  writeHeader(context, [...context.losses, ...ofAnswer])
}

const unique = (losses: readonly string[]): readonly string[] => [...new Set(losses)]

function writeHeader({ reply }: RequestContext, losses: readonly Loss[]): void {
  if (losses.length > 0 && !reply.hasStarted()) reply.setHeader(HEADER, formatLosses(losses, LONGEST_HEADER))
}
