import { describe, expect, it } from 'vitest'
import { findVendor, VENDOR_NAMES } from '../../src/vendors/registry.ts'
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
