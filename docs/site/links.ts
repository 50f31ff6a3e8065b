import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'

/** Returns the links of the built pages whose file or anchor does not exist, and files that they load from elsewhere. */
export function deadSiteLinks(folder: string, base: string): readonly string[] {
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.html'))
  const texts = new Map(pages.map((page) => [page, readFileSync(path.join(folder, page), 'utf8')]))
  const anchors = new Map<string, ReadonlySet<string>>()
  const anchorsOf = (page: string): ReadonlySet<string> => {
    const known =
      anchors.get(page) ?? new Set([...(texts.get(page) ?? '').matchAll(/ id="([^"]+)"/g)].map(([, id]) => id ?? ''))
    anchors.set(page, known)
    return known
  }
  const isDead = (page: string, tag: string, target: string): boolean => {
    if (/^(?:data|mailto):/.test(target)) return false
    // A link may lead elsewhere; nothing is loaded from there.
    if (/^https?:|^\/\//.test(target)) return !tag.startsWith('<a')
    const [address = '', anchor] = target.replaceAll('&amp;', '&').split('#')
    const inside = address.startsWith(base) ? `/${address.slice(base.length)}` : address
    if (address.startsWith('/') && !address.startsWith(base)) return true
    const plain = decodeURIComponent(inside.replace(/[?].*/, ''))
    const joined = plain === '' ? page : path.posix.join(plain.startsWith('/') ? '.' : path.posix.dirname(page), plain)
    const file =
      existsSync(path.join(folder, joined)) && statSync(path.join(folder, joined)).isDirectory()
        ? path.posix.join(joined, 'index.html')
        : joined
    if (!existsSync(path.join(folder, file))) return true
    return (
      anchor !== undefined &&
      anchor !== '' &&
      texts.has(file) &&
      !file.startsWith('try/') &&
      !anchorsOf(file).has(decodeURIComponent(anchor))
    )
  }
  return [...texts].flatMap(([page, text]) =>
    [...text.matchAll(/<[a-z]+ [^>]*?\b(?:href|src)="([^"]*)"[^>]*>/g)]
      .filter(([tag, target = '']) => isDead(page, tag, target))
      .map(([, target]) => `${page}: ${target}`),
  )
}
