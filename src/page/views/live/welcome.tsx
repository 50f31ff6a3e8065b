import { formatAddress } from '../../address.ts'
import type { PageServer } from '../../server.ts'

const VIEWS = [
  ['live', 'Live', 'a request to this server, and its stream as it arrives'],
  ['compare', 'Compare', 'a recorded stream as frames, deltas and events, in every protocol side by side'],
  ['explain', 'Explain', 'the body that each provider receives, with its losses'],
  ['requests', 'Requests', 'the last requests of this server'],
] as const

/** The views of a server, each with what it shows. */
export function ViewList({ views }: Pick<PageServer, 'views'>) {
  return (
    <dl>
      {VIEWS.filter(([view]) => views.includes(view)).map(([view, title, shows]) => (
        <div key={view}>
          <dt>
            <a href={formatAddress(view)}>{title}</a>
          </dt>
          <dd>{shows}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Stands in place of the view while there is no key. */
export function Welcome({ views }: Pick<PageServer, 'views'>) {
  return (
    <section class="view live-empty" aria-labelledby="live-welcome">
      <h1 class="hidden">Live</h1>
      <h2 id="live-welcome">millrace translates LLM streams between protocols.</h2>
      <p>This page shows how, and what becomes of each request:</p>
      <ViewList views={views} />
      <p>Compare and Explain need no key. Live and Requests need one of this server.</p>
    </section>
  )
}
