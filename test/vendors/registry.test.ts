import { describe, expect, it } from 'vitest'
import { OTHER_WIRES } from '../../src/vendors/other-wires.ts'
import { findVendor, VENDOR_NAMES } from '../../src/vendors/registry.ts'
import { CLIENT_WIRES } from '../../src/wires/find-wire.ts'
import { WIRES } from '../../src/wires/registry.ts'

describe('the table of vendors', () => {
  it.each(VENDOR_NAMES)('has a known wire, a valid base URL and a valid key variable for %s', (name) => {
    const vendor = findVendor(name)
    expect(vendor?.name).toBe(name)
    expect(Object.keys(WIRES)).toContain(vendor?.wire)
    // The path of a request starts with a slash and is appended to the base URL.
    if (vendor?.baseUrl) expect(vendor.baseUrl).toMatch(/^https?:\/\/[^/]+(?:\/[^/]+)*$/)
    if (vendor?.keyVariable) expect(vendor.keyVariable).toMatch(/^[A-Z_]+$/)
  })

  it.each(VENDOR_NAMES)('sends the key of %s only over TLS or to the loopback address', (name) => {
    const url = findVendor(name)?.baseUrl ?? null
    if (url !== null) expect(url.startsWith('https://') || url.startsWith('http://127.0.0.1')).toBe(true)
  })

  it.each(VENDOR_NAMES)('has further wires of %s at their own addresses over TLS, which clients speak', (name) => {
    const vendor = findVendor(name)
    for (const [wire, other] of Object.entries(vendor?.wires ?? {})) {
      expect(CLIENT_WIRES).toContain(wire)
      expect(wire).not.toBe(vendor?.wire)
      expect(other.baseUrl).toMatch(/^https:\/\/[^/?]+(?:\/[^/?]+)*$/)
      expect(new URL(other.baseUrl).host).toBe(new URL(vendor?.baseUrl ?? '').host)
    }
  })

  it('has a row for every vendor with further wires', () => {
    expect(VENDOR_NAMES).toEqual(expect.arrayContaining(Object.keys(OTHER_WIRES)))
  })

  it('returns undefined for names that it does not contain', () => {
    for (const name of ['nobody', '', 'constructor', '__proto__']) expect(findVendor(name)).toBeUndefined()
  })

  // Configurations use these names: a vendor that loses its row breaks them.
  const published =
    'alibaba anthropic avian azure bedrock bedrock-mantle cerebras cloudflare cohere copilot crusoe databricks deepseek doubleword google google-compat gpustack groq heroku huggingface litellm-proxy llamacpp mirascope-router mistral mistralrs moonshot ollama ollama-cloud ollama-compat openai openrouter perplexity portkey pydantic-gateway snowflake tgi together venice vercel-gateway vllm xai zai'
  it.each(published.split(' '))('contains the vendor %s', (name) => {
    expect(findVendor(name)).toBeDefined()
  })
})
