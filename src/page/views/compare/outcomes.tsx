import type { Comparison } from './comparison.ts'

/** How the answer ended in each target: status, usage, losses, error, and findings of the whole stream. */
export function Outcomes({ targets }: Comparison) {
  return (
    <section class="compare-outcomes" aria-label="Outcomes">
      {targets.map(({ aligned: { name, outcome, findings } }) => (
        <div key={name}>
          <h2>{name}</h2>
          <dl>
            <dt>Status</dt>
            <dd class={outcome.status === 'completed' ? undefined : 'error'}>{outcome.status}</dd>
            <dt>Usage</dt>
            <dd>
              {outcome.usage === null
                ? 'not reported'
                : `${outcome.usage.input_tokens} in · ${outcome.usage.output_tokens} out`}
            </dd>
            {outcome.error !== null && (
              <>
                <dt>Error</dt>
                <dd class="error">
                  {outcome.error.code}: {outcome.error.message}
                </dd>
              </>
            )}
            <dt>Losses</dt>
            <dd class={outcome.losses.length === 0 ? undefined : 'error'}>
              {outcome.losses.length === 0 ? 'none' : outcome.losses.join(', ')}
            </dd>
            <dt>Grammar</dt>
            <dd class={findings.length === 0 ? undefined : 'error'}>
              {findings.length === 0
                ? 'no findings'
                : findings.map(({ rule, message }) => `${rule}: ${message}`).join('; ')}
            </dd>
          </dl>
        </div>
      ))}
    </section>
  )
}
