import type { PageServer } from '../../server.ts'

export function ExplainView({ server: _ }: { readonly server: PageServer }) {
  return (
    <section class="view" aria-labelledby="explain-title">
      <h1 id="explain-title">Explain</h1>
    </section>
  )
}
