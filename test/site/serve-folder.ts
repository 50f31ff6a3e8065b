import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript',
  css: 'text/css',
  svg: 'image/svg+xml',
  json: 'application/json',
}

export interface FolderServer {
  /** The address of the base, with a slash at its end. */
  readonly url: string
  close(): Promise<void>
}

/** Serves the files of a folder below a path, as a host of static files does: a directory is its `index.html`. */
export async function serveFolder(folder: string, base: string): Promise<FolderServer> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site.invalid')
    const inside = pathname.startsWith(base) ? decodeURIComponent(pathname.slice(base.length)) : '..'
    const file = path.join(folder, inside.endsWith('/') || inside === '' ? `${inside}index.html` : inside)
    const type = TYPES[path.extname(file).slice(1)] ?? 'application/octet-stream'
    const read = file.startsWith(folder) ? readFile(file) : Promise.reject(new Error('outside'))
    read.then(
      (bytes) => response.writeHead(200, { 'content-type': type }).end(bytes),
      () => response.writeHead(404).end(),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${base}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
