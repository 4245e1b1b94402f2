import { type Exposure, exposed } from '#expression'

/** The claims of a token that a script of Groovy sets constraints on, by `builder`. */
export class ClaimConstraints {
  readonly claims: object

  constructor(claims: object) {
    this.claims = claims
  }

  /** Scripts of other languages judge the claims themselves. */
  get [exposed](): Exposure<ClaimConstraints> {
    return { kind: 'builder' }
  }
}
