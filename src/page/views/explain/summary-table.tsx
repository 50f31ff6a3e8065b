import type { TargetExplanation } from '../../../page-api/explanations.ts'
import { WordList } from '../../word-list.tsx'
import { byteLength } from './sizes.ts'

const WORDS = {
  Wire: 'the protocol of the provider’s API',
  Request: 'passed on in the client’s own form, or translated',
  Losses: 'values that the provider does not receive as they are',
  Bytes: 'size of the provider’s body',
  Breakpoints: 'places up to which the provider caches the prompt',
  Prefix: 'share of the prompt, from its beginning, that the last request had too',
  Problems: 'values that break a known rule of the provider',
}

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
            {Object.keys(WORDS).map((word, at) => (
              <th key={word} scope="col" class={at < 2 ? undefined : 'number'}>
                {word}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {explanations.map((target) => (
            <SummaryRow key={targetId(target)} target={target} onJump={onJump} />
          ))}
        </tbody>
      </table>
      <WordList words={WORDS} />
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
          <Count value={result.complaints.length} kind="problem" />
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
