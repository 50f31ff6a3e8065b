import { dropped, formatLoss, formatLosses, type Loss } from '../../protocol/loss.ts'
import type { RequestContext } from './request-context.ts'

const HEADER = 'x-responses-losses'
const LONGEST_HEADER = 1000

/**
 * Records the losses of a request: in full in the journal; in the header, which is short and plain, with path and
 * action. `edits`: those of a body that is passed through.
 */
export function noteLosses(
  context: RequestContext,
  { losses, edits }: { readonly losses: readonly Loss[]; readonly edits: readonly string[] | null },
): void {
  context.journal.add({ type: 'encoded', losses, edits })
  // An earlier attempt at another upstream may have had losses.
  if (!context.reply.hasStarted()) context.reply.removeHeaders(HEADER)
  writeHeader(context, losses)
}

/** Adds the losses of the answer to the header, if nothing was sent yet. */
export function showAnswerLosses(context: RequestContext, losses: readonly string[]): void {
  if (context.reply.hasStarted()) return
  // A comma separates entries, and some losses repeat an upstream's text.
  const ofAnswer = losses.map((loss) => dropped(`answer: ${loss.replaceAll(',', ' ')}`, ''))
  writeHeader(context, [...requestLosses(context), ...ofAnswer])
}

/** The losses of the current upstream request, and of the further ones that follow it. */
function requestLosses({ journal }: RequestContext): readonly Loss[] {
  let found: readonly Loss[] = []
  for (const entry of journal.entries) {
    if (entry.type === 'encoded') found = entry.losses
    if (entry.type !== 'encoded more' || entry.losses.length === 0) continue
    const known = new Set(found.map(formatLoss))
    found = [...found, ...entry.losses.filter((loss) => !known.has(formatLoss(loss)))]
  }
  return found
}

function writeHeader({ reply }: RequestContext, losses: readonly Loss[]): void {
  if (losses.length > 0 && !reply.hasStarted()) reply.setHeader(HEADER, formatLosses(losses, LONGEST_HEADER))
}
