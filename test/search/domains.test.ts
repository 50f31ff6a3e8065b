import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type DomainFilter, isAllowed, matchesDomain, parseDomain, toNative } from '../../src/search/domains.ts'
import { ENGINES } from '../../src/search/registry.ts'
import { webUrls } from '../arbitraries/strings.ts'
import { check } from '../property.ts'

describe('a domain', () => {
  it.each([
    ['example.com', 'example.com'],
    [' Example.COM ', 'example.com'],
    ['https://example.com/', 'example.com'],
    ['http://www.example.com/Blog/', 'www.example.com/Blog'],
    ['*.example.com', '*.example.com'],
    ['news.*.com/a b', null],
    ['news.*.com/a', 'news.*.com/a'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['*.Bücher.example', '*.xn--bcher-kva.example'],
    ['example.com/*', 'example.com'],
    ['example.com/blog/*', 'example.com/blog'],
    ['example.com/*/blog', null],
    ['localhost', 'localhost'],
    ['gov', 'gov'],
    ['*', null],
    ['*.*', null],
    ['', null],
    ['  ', null],
    ['exa mple.com', null],
    ['example.com:8080', null],
    ['user@example.com', null],
    ['example.com?q=1', null],
    ['example.com#top', null],
    ['ftp://example.com', null],
    ['exa*mple.com', null],
    ['[::1]', null],
    ['.example.com', null],
    ['example..com', null],
    ['a'.repeat(300), null],
  ])('%j is parsed as %j', (text, parsed) => {
    expect(parseDomain(text)).toBe(parsed)
  })

  it.each([
    ['example.com', 'https://example.com/', true],
    ['example.com', 'http://WWW.Example.com/a?b#c', true],
    ['example.com', 'https://example.com.evil.example/', false],
    ['example.com', 'https://notexample.com/', false],
    ['example.com', 'https://evil.example/example.com', false],
    ['example.com', 'https://example.com@evil.example/', false],
    ['example.com', 'https://example.com./', true],
    ['example.com', 'ftp://example.com/', false],
    ['example.com', 'example.com', false],
    ['example.com', 'javascript:example.com', false],
    ['*.example.com', 'https://example.com/', false],
    ['*.example.com', 'https://a.b.example.com/', true],
    ['news.*.com', 'https://news.a.com/', true],
    ['news.*.com', 'https://www.news.a.com/', true],
    ['news.*.com', 'https://news.a.b.com/', false],
    ['example.com/blog', 'https://example.com/blog', true],
    ['example.com/blog', 'https://example.com/blog/', true],
    ['example.com/blog', 'https://www.example.com/blog/a', true],
    ['example.com/blog', 'https://example.com/blogs', false],
    ['example.com/blog', 'https://example.com/Blog', false],
    ['xn--bcher-kva.example', 'https://bücher.example/', true],
    ['gov', 'https://nasa.gov/', true],
    ['*.gov', 'https://nasa.gov/', true],
  ])('%s matches the page %s: %j', (pattern, page, matches) => {
    expect(matchesDomain(pattern, page)).toBe(matches)
  })
})

const label = fc.constantFrom('a', 'b', 'www', 'news', 'x1')
const host = fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => [...labels, 'com'].join('.'))
const path = fc.constantFrom('', '', '', '/blog', '/blog/a', '/b')
const pattern = fc
  .tuple(fc.constantFrom('', '', '*.', 'a.*.'), host, path)
  .map(([star, name, under]) => star + name + under)
const page = fc.tuple(host, path).map(([name, under]) => `https://${name}${under}`)
const filter: fc.Arbitrary<DomainFilter> = fc.record({
  allowed: fc.array(pattern, { maxLength: 3 }),
  excluded: fc.array(pattern, { maxLength: 3 }),
})
const skill = fc.record({
  wildcards: fc.boolean(),
  paths: fc.boolean(),
  both: fc.boolean(),
  most: fc.integer({ min: 0, max: 3 }),
})

describe('domain filters', () => {
  it('a pattern in canonical form is parsed to itself', () => {
    check(
      fc.property(pattern, (one) => {
        expect(parseDomain(one)).toBe(one)
      }),
    )
  })

  it('parsing a pattern never throws, and the result matches its own domain', () => {
    check(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), webUrls), (text) => {
        const parsed = parseDomain(text)
        if (parsed === null) return
        expect(parseDomain(parsed)).toBe(parsed)
        const somewhere = `http://${parsed.replaceAll('*', 'any')}`
        expect(matchesDomain(parsed, somewhere)).toBe(true)
      }),
      2000,
    )
  })

  it('the filter for an engine excludes no page that the original filter allows', () => {
    check(
      fc.property(filter, skill, page, (wanted, known, one) => {
        const native = toNative(wanted, known)
        if (isAllowed(wanted, one)) expect(isAllowed(native, one)).toBe(true)
        if (native.exact) expect(isAllowed(native, one)).toBe(isAllowed(wanted, one))
        expect(native.allowed.length).toBeLessThanOrEqual(Math.max(known.most, 0))
        expect(native.excluded.length).toBeLessThanOrEqual(known.most)
        if (!known.both) expect(native.allowed.length === 0 || native.excluded.length === 0).toBe(true)
        const all = [...native.allowed, ...native.excluded].join(' ')
        if (!known.wildcards) expect(all).not.toContain('*')
        if (!known.paths) expect(all).not.toContain('/')
      }),
      3000,
    )
  })

  it('a filter stays unchanged if the engine supports it', () => {
    const wanted = { allowed: ['*.a.com', 'b.com/blog'], excluded: ['c.com'] }
    expect(toNative(wanted, ENGINES.exa.domains)).toEqual({ ...wanted, exact: true })
    expect(toNative(wanted, ENGINES.firecrawl.domains)).toEqual({
      allowed: ['a.com', 'b.com'],
      excluded: [],
      exact: false,
    })
    expect(toNative(wanted, ENGINES.searxng.domains)).toEqual({
      allowed: ['a.com', 'b.com'],
      excluded: ['c.com'],
      exact: false,
    })
  })

  it('a whole top-level domain is never sent to an engine without wildcards', () => {
    expect(toNative({ allowed: ['*.gov', 'a.com'], excluded: [] }, ENGINES.parallel.domains).allowed).toEqual([])
  })
})
