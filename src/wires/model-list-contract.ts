interface ModelPage {
  /** The names that requests have, not checked yet. */
  readonly ids: readonly unknown[]
  /** Where the next page begins; null after the last page. */
  readonly next: string | null
}

/** How the upstreams of a wire list their models. */
export interface ModelLister {
  /** The path of a page, appended to the base URL. `from`: the `next` of the page before; null for the first page. */
  path(from: string | null): string
  /** Headers of the request, beside that of the key. Lower-case names. Left out: none. */
  readonly headers?: Readonly<Record<string, string>>
  /** Returns null if the body is no list of models. */
  decode(body: unknown): ModelPage | null
}
