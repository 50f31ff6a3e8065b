import { describe, expect, it } from 'vitest'
import { keysIn, maskKeys } from '../../src/observability/mask-keys.ts'

const KEYS = [
  'sk-proj-0123456789abcdefghij',
  'sk-ant-api03-0123456789abcdefghij',
  'AIzaSy0123456789abcdefghijk',
  'AKIA0123456789ABCDEF',
  'ghp_0123456789abcdefghij0123',
  'mr-dev-0123456789abcdef0123',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
]

describe('maskKeys', () => {
  it.each(KEYS)('masks a key wherever it is in a text: %s', (key) => {
    const inPrompt = JSON.stringify({ content: `my key:\n${key}\tand\u2028${key}` })
    const texts = [
      key,
      `use ${key}, please`,
      `https://a.example/?key=${key}&b=1`,
      `{"api_key":"${key}"}`,
      inPrompt,
      JSON.stringify(inPrompt),
    ]
    for (const text of texts) {
      const masked = maskKeys(text)
      expect(masked).not.toContain(key)
      expect(masked).toContain('...')
      expect(new Set(keysIn(text))).toEqual(new Set([key]))
    }
    expect(maskKeys('{"content":"\\nBearer q7/abc+def="}')).toBe('{"content":"\\nBearer ********"}')
  })

  it('masks the password of an address, such as an MCP server’s', () => {
    const text = '{"server_url":"https://ada:hunter2!x@mcp.example:8443/sse","path":"a:b@c"}'
    expect(maskKeys(text)).toBe(text.replace('hunter2!x', '********'))
    expect(keysIn(text)).toEqual(['hunter2!x'])
    const plain = 'see https://a.example/b:c@d and mailto:ada@a.example'
    expect([maskKeys(plain), keysIn(plain)]).toEqual([plain, []])
  })

  it('takes no piece of an image or of encrypted reasoning for a key', () => {
    const data = 'data:image/png;base64,iVBORw0KGgo/ghAb12Cd34Ef56Gh78Ij/eyJAb12Cd34Ef56Gh78Ij90+gh0123456789abcdef=='
    expect([keysIn(data), maskKeys(data)]).toEqual([[], data])
  })

  it('masks every token of a Bearer header, and leaves other words as they are', () => {
    expect(maskKeys('Authorization: Bearer q7/abc+def=')).toBe('Authorization: Bearer ********')
    const plain = 'ghosts, sk-learn-documentation, mr-smith, eyJ, 1.2.3-rc.4 and github.com/a/b Bearer of bad news'
    expect(maskKeys(plain)).toBe(plain.replace('Bearer of', 'Bearer ********'))
    expect(maskKeys('-Bearer'.repeat(50_000)).length).toBe(350_000)
  })
})
