/** Attempts of a malicious page. The function runs inside the browser, so it must not use anything outside itself. */
export interface Attempt {
  readonly name: string
  /** The content that the page could read and must not be able to; null if there was none. */
  readonly read: string | null
}

export interface Target {
  /** The origin of the gateway. */
  readonly url: string
  readonly key: string | null
  readonly body: string
}

export async function attack({ url, key, body }: Target): Promise<readonly Attempt[]> {
  const query = key === null ? '' : `?key=${encodeURIComponent(key)}`
  const posts = [
    '/api/v1/responses',
    '/openai/v1/responses',
    '/openai/v1/chat/completions',
    '/openai/v1/messages',
    '/openai/v1/api/chat',
    `/openai/v1/models/acme/m:generateContent${query}`,
    `/api/v1beta/models/acme/m:streamGenerateContent${query}`,
  ]
  const gets = ['/metrics', '/api/v1/openapi.json', `/api/v1/models${query}`, '/api/v1/observability/destinations']
  /** One path that expects its key in a header, and one that accepts it in the URL. */
  const few = [posts[0] ?? '', posts[6] ?? '']
  const attempts: Promise<Attempt>[] = []
  const attempt = (name: string, act: () => Promise<string | null>): void => {
    attempts.push(
      act()
        .catch(() => null)
        .then((read) => ({ name, read })),
    )
  }
  const fetched = (path: string, init: RequestInit) => async (): Promise<string | null> => {
    const response = await fetch(url + path, init)
    return response.type === 'opaque' ? null : `${response.status} ${await response.text()}`
  }
  const bearer: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` }
  const headers = { ...bearer, 'content-type': 'application/json' }

  for (const path of posts) {
    const method = 'POST'
    attempt(`text ${path}`, fetched(path, { method, body, mode: 'no-cors', credentials: 'include' }))
    attempt(`JSON ${path}`, fetched(path, { method, body, headers }))
    if (!few.includes(path)) continue
    attempt(`no type ${path}`, fetched(path, { method, body: new Blob([body]), mode: 'no-cors' }))
    attempt(`bytes ${path}`, fetched(path, { method, body: new TextEncoder().encode(body), mode: 'no-cors' }))
    attempt(`form fields ${path}`, fetched(path, { method, body: new URLSearchParams({ body }), mode: 'no-cors' }))
    attempt(`JSON without CORS ${path}`, fetched(path, { method, body, headers, mode: 'no-cors' }))
    attempt(`text, to be read ${path}`, fetched(path, { method, body }))
    attempt(`beacon ${path}`, async () => {
      navigator.sendBeacon(url + path, body)
      navigator.sendBeacon(url + path, new Blob([body]))
      navigator.sendBeacon(url + path, new Blob([body], { type: 'application/json' }))
      return null
    })
    attempt(`form ${path}`, () => submit(path))
    attempt(`socket ${path}`, () => connect(path))
  }
  for (const path of gets) {
    attempt(`get ${path}`, fetched(path, {}))
    attempt(`get with the key ${path}`, fetched(path, { headers: bearer }))
    attempt(`script ${path}`, () => load('script', path))
  }
  for (const path of few) {
    attempt(`get without CORS ${path}`, fetched(path, { mode: 'no-cors' }))
    attempt(`events ${path}`, () => listen(path))
    attempt(`image ${path}`, () => load('img', path))
    attempt(`frame ${path}`, () => frame(path))
  }
  return Promise.all(attempts)

  /** A form with `text/plain` encoding can produce valid JSON: `{"model": …, "x": "="}`. */
  function submit(path: string): Promise<string | null> {
    const form = document.createElement('form')
    const field = document.createElement('input')
    const inner = document.createElement('iframe')
    inner.name = `frame of ${path} ${Math.random()}`
    Object.assign(form, { method: 'POST', enctype: 'text/plain', action: url + path, target: inner.name })
    Object.assign(field, { name: `${body.slice(0, -1)},"x":"`, value: '"}' })
    form.append(field)
    document.body.append(form, inner)
    const loaded = readWhenLoaded(inner)
    form.submit()
    return loaded
  }

  function readWhenLoaded(inner: HTMLIFrameElement): Promise<string | null> {
    return new Promise((resolve) => {
      inner.onload = () => {
        try {
          const text = inner.contentDocument?.body?.textContent ?? ''
          // The empty initial document of a frame is readable from every origin.
          resolve(text === '' ? null : text)
        } catch {
          resolve(null)
        }
      }
    })
  }

  function frame(path: string): Promise<string | null> {
    const inner = document.createElement('iframe')
    const loaded = readWhenLoaded(inner)
    inner.src = url + path
    document.body.append(inner)
    return loaded
  }

  function connect(path: string): Promise<string | null> {
    return new Promise((resolve) => {
      const socket = new WebSocket(url.replace('http', 'ws') + path)
      socket.onopen = () => {
        socket.send(body)
        resolve('open')
      }
      socket.onclose = () => resolve(null)
    })
  }

  function listen(path: string): Promise<string | null> {
    return new Promise((resolve) => {
      const events = new EventSource(url + path)
      events.onopen = () => resolve('open')
      events.onerror = () => {
        events.close()
        resolve(null)
      }
    })
  }

  function load(tag: 'img' | 'script', path: string): Promise<string | null> {
    return new Promise((resolve) => {
      const element = document.createElement(tag)
      element.onload = () => resolve(tag === 'img' ? 'an image' : null)
      element.onerror = () => resolve(null)
      element.src = url + path
      document.body.append(element)
    })
  }
}
