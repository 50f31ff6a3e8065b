import type { AlignedTarget } from '../../../alignment/align.ts'
import type { Comparison } from './compared.ts'

/** The ending of the answer in each target: status, usage, losses, error, and findings of the grammar. */
export function Outcomes({ targets, findingsOf }: Comparison) {
  const inSource = [...findingsOf.values()].flat().length
  return (
    <details class="compare-outcomes">
      <summary>
        Outcomes
        {inSource > 0 && <span class="error">recording: {counted(inSource, 'finding').join()}</span>}
        <span class="soft">status, usage, errors and losses of each target</span>
      </summary>
      <div class="compare-outcome-list">
        {targets.map(({ aligned }) => (
          <Outcome key={aligned.name} {...aligned} />
        ))}
      </div>
    </details>
  )
}

/** Whether a target has neither an error, nor a loss, nor a finding. */
export const isClean = ({ outcome, findings }: AlignedTarget): boolean =>
  outcome.status === 'completed' && outcome.losses.length === 0 && findings.length === 0

const counted = (count: number, word: string): readonly string[] =>
  count === 0 ? [] : [`${count} ${count === 1 ? word : word === 'loss' ? 'losses' : `${word}s`}`]

/** The ending of the answer in a target, with the numbers of its losses and findings. */
export const digestOfTarget = ({ outcome, findings }: AlignedTarget): string =>
  [outcome.status, ...counted(outcome.losses.length, 'loss'), ...counted(findings.length, 'finding')].join(', ')

function Outcome({ name, outcome, findings }: AlignedTarget) {
  const { status, usage, error, losses } = outcome
  return (
    <div>
      <h2>{name}</h2>
      <dl>
        <dt>Status</dt>
        <dd>{status}</dd>
        <dt>Usage</dt>
        <dd>{usage === null ? 'not reported' : `${usage.input_tokens} in · ${usage.output_tokens} out`}</dd>
        {error !== null && (
          <>
            <dt>Error</dt>
            <dd class="error">
              {error.code}: {error.message}
            </dd>
          </>
        )}
        <dt>Losses</dt>
        <dd class={losses.length === 0 ? undefined : 'error'}>{losses.length === 0 ? 'none' : losses.join(', ')}</dd>
        <dt>Grammar</dt>
        <dd class={findings.length === 0 ? undefined : 'error'}>
          {findings.length === 0
            ? 'no findings'
            : findings.map(({ rule, message }) => `${rule}: ${message}`).join('; ')}
        </dd>
      </dl>
    </div>
  )
}
