import type { PageServer } from '../../server.ts'

export function RequestsView({ server: _ }: { readonly server: PageServer }) {
  return (
    <section class="view" aria-labelledby="requests-title">
      <h1 id="requests-title">Requests</h1>
    </section>
  )
}
