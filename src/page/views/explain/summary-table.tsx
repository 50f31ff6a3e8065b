import type { TargetExplanation } from '../../../page-api/explanations.ts'
import { byteLength } from './sizes.ts'

/** The identifier of a card. References to it are separated by spaces, so that it has none. */
export const targetId = ({ vendor, wire }: { readonly vendor: string; readonly wire: string }): string =>
  `explain-${encodeURIComponent(vendor)}-${wire}`

interface SummaryProps {
  readonly explanations: readonly TargetExplanation[]
  /** Opens the card of a target and moves the focus there. */
  readonly onJump: (target: TargetExplanation) => void
}

/** One row for each vendor and wire. */
export function SummaryTable({ explanations, onJump }: SummaryProps) {
  return (
    <section class="explain-summary" aria-label="Summary">
      <table>
        <thead>
          <tr>
            <th scope="col">Vendor</th>
            <th scope="col">Wire</th>
            <th scope="col">Request</th>
            <th scope="col" class="number" title="Values of the request that the upstream does not get as they are">
              Losses
            </th>
            <th scope="col" class="number" title="Size of the upstream’s body">
              Bytes
            </th>
            <th scope="col" class="number" title="Ends of prefixes that the upstream is to cache">
              Breakpoints
            </th>
            <th scope="col" class="number" title="Share of the prompt that the last request had">
              Prefix
            </th>
            <th scope="col" class="number" title="Values that break a known rule of the vendor">
              Complaints
            </th>
          </tr>
        </thead>
        <tbody>
          {explanations.map((target) => (
            <SummaryRow key={targetId(target)} target={target} onJump={onJump} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

interface RowProps {
  readonly target: TargetExplanation
  readonly onJump: SummaryProps['onJump']
}

function SummaryRow({ target, onJump }: RowProps) {
  const { vendor, wire, isRouted, result } = target
  return (
    <tr>
      <th scope="row">
        <button type="button" class="link" onClick={() => onJump(target)}>
          {vendor}
        </button>
        {isRouted && <span class="tag accent">chosen</span>}
      </th>
      <td>{wire}</td>
      {result.ok ? (
        <>
          <td>{result.isPassed ? 'passed on' : 'translated'}</td>
          <Count value={result.losses.length} kind="loss" />
          <td class="number">{byteLength(JSON.stringify(result.upstream)).toLocaleString('en')}</td>
          <Count value={result.breakpoints.length} kind="breakpoint" />
          <td class="number">{result.sharedPrefix === null ? '–' : formatShare(result.sharedPrefix)}</td>
          <Count value={result.complaints.length} kind="complaint" />
        </>
      ) : (
        <td colSpan={6} class="error">
          refused: {result.error.code}
        </td>
      )}
    </tr>
  )
}

const Count = ({ value, kind }: { readonly value: number; readonly kind: string }) => (
  <td class={value === 0 ? 'number none' : `number ${kind}`}>{value}</td>
)

/** The share of a prompt that an earlier one began with, in whole percent, of which 100 means all of it. */
export const formatShare = ({ bytes, total }: { readonly bytes: number; readonly total: number }): string =>
  total === 0 ? '–' : `${Math.floor((100 * bytes) / total)} %`
