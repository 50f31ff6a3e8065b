import type { PageServer } from '../../server.ts'

export function LiveView({ server: _ }: { readonly server: PageServer }) {
  return (
    <section class="view" aria-labelledby="live-title">
      <h1 id="live-title">Live</h1>
    </section>
  )
}
