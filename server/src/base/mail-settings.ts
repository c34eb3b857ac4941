export interface MailSettings {
  readonly target: MailTarget;
  readonly from: MailSender;
}

export interface MailSender {
  readonly name: string;
  readonly address: string;
}

export type MailTarget =
  /** Writes each mail to a file, for installations without a mail server. */
  | { readonly kind: 'folder'; readonly path: string }
  | {
      readonly kind: 'smtp';
      readonly host: string;
      readonly port: number;
      /** TLS from the first byte (`smtps://`). False means STARTTLS, if the server offers it. */
      readonly isSecure: boolean;
      readonly needsTls: boolean;
      /** This is a function, so that no log shows the password. */
      readonly credentials: (() => { readonly user: string; readonly password: string }) | null;
    };
