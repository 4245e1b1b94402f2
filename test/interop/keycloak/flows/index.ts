import type { Part } from '../suite.ts'
import { accessTokens } from './access-tokens.ts'
import { boundTokens } from './bound-tokens.ts'
import { introspection } from './introspection.ts'
import { keys } from './keys.ts'
import { login } from './login.ts'
import { privateAuthority } from './private-authority.ts'

export const PARTS: readonly Part[] = [login, accessTokens, introspection, boundTokens, privateAuthority, keys]
