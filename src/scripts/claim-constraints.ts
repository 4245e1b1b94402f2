import { type Exposure, exposed } from '#expression'

/** The claims of a token, on which a Groovy script sets constraints with `builder`. */
export class ClaimConstraints {
  readonly claims: object

  constructor(claims: object) {
    this.claims = claims
  }

  /** Scripts in other languages validate the claims themselves. */
  get [exposed](): Exposure<ClaimConstraints> {
    return { kind: 'builder' }
  }
}
