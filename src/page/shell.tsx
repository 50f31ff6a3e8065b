import type { ComponentChildren, ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { formatAddress, useAddress } from './address.ts'
import { KeyForm, KeyNotice } from './key-form.tsx'
import type { KeyStore } from './key-store.ts'
import type { PageServer, ViewName } from './server.ts'

type View = ComponentType<{ readonly server: PageServer }>

interface ViewRow {
  readonly title: string
  readonly load: () => Promise<View>
}

/** The views, each loaded when it is opened for the first time. */
const VIEWS: ReadonlyMap<string, ViewRow> = new Map<ViewName, ViewRow>([
  ['live', { title: 'Live', load: async () => (await import('./views/live/view.tsx')).LiveView }],
  ['compare', { title: 'Compare', load: async () => (await import('./views/compare/view.tsx')).CompareView }],
  ['explain', { title: 'Explain', load: async () => (await import('./views/explain/view.tsx')).ExplainView }],
  ['requests', { title: 'Requests', load: async () => (await import('./views/requests/view.tsx')).RequestsView }],
])

const FIRST_VIEW = 'live'

interface ShellProps {
  readonly server: PageServer
  /** null: the server needs no key. */
  readonly keys: KeyStore | null
  /** Stands above each view. */
  readonly children?: ComponentChildren
}

/** The frame of the page: navigation, the key, and one view. */
export function Shell({ server, keys, children }: ShellProps) {
  const address = useAddress()
  const name = server.views.find((view) => view === address.view) ?? FIRST_VIEW
  const title = VIEWS.get(name)?.title ?? ''
  useEffect(() => {
    document.title = `${title} · millrace`
  }, [title])
  return (
    <>
      <header class="top-bar">
        <a class="skip-link" href={formatAddress(name)} onClick={skipToView}>
          Skip to the view
        </a>
        <span class="brand">millrace</span>
        <nav aria-label="Views">
          {server.views.map((view) => (
            <a key={view} href={formatAddress(view)} aria-current={view === name ? 'page' : undefined}>
              {VIEWS.get(view)?.title}
            </a>
          ))}
        </nav>
        {keys !== null && <KeyForm keys={keys} />}
      </header>
      <main id="view" tabIndex={-1}>
        {keys !== null && <KeyNotice keys={keys} />}
        {children}
        <LazyView key={name} name={name} server={server} />
      </main>
    </>
  )
}

function skipToView(event: Event): void {
  event.preventDefault()
  document.getElementById('view')?.focus()
}

function LazyView({ name, server }: { readonly name: string; readonly server: PageServer }) {
  const [loaded, setLoaded] = useState<{ readonly view: View } | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  useEffect(() => {
    VIEWS.get(name)
      ?.load()
      .then(
        (view) => setLoaded({ view }),
        (error: unknown) => setProblem(String(error)),
      )
  }, [name])
  // A browser loads a file that has failed, and files of another version of the server, only after a reload.
  if (problem !== null)
    return (
      <p class="notice error" role="alert">
        The view could not be loaded. The server cannot be reached, or it was replaced by another version: start it and
        reload the page. ({problem})
      </p>
    )
  if (loaded === null) return null
  const { view: One } = loaded
  return <One server={server} />
}
