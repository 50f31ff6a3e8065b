import type { PageServer } from '../../server.ts'

export function CompareView({ server: _ }: { readonly server: PageServer }) {
  return (
    <section class="view" aria-labelledby="compare-title">
      <h1 id="compare-title">Compare</h1>
    </section>
  )
}
